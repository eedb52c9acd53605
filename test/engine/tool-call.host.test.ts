import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject, PolicyAnswer, ToolCallHost, UserAnswer } from "../../src/index.ts";
import { createEngine } from "../../src/index.ts";
import { answering } from "../helpers/guests.ts";
import { approvals, decides, MODE_ALLOWS, MODE_ASKS, rewrites, shell } from "./approved-calls.ts";

const ls = { command: "ls" };
const throws = (): never => {
  throw new Error("out of order");
};

describe("the host of a tool call", () => {
  test("that cannot run the tool throws, and no rule is asked", async () => {
    const engine = await createEngine({ config: {}, sandbox: { threads: 1 } });
    const host = { execute: undefined } as unknown as ToolCallHost;
    await expect(engine.toolCall({ toolName: "Bash", input: ls }, host)).rejects.toThrow(/"execute"/);
    await engine.close();
  });

  test.each<[string, Partial<ToolCallHost>, string]>([
    ["policy", { policy: throws }, "policy_error_deny"],
    ["policy, later", { policy: async () => throws() }, "policy_error_deny"],
    ["askUser", { askUser: throws }, "user_error_deny"],
    ["grant", { askUser: () => "allow-always", grant: throws }, "grant_error_deny"],
  ])("that throws in %s refuses the call", async (_, host, source) => {
    const call = await approvals({});
    const { result, seen } = await call(ls, { host });
    expect(result).toMatchObject({ outcome: "denied", source, executed: false });
    expect(result.reason).toContain("out of order");
    expect(seen.executed).toEqual([]);
  });

  test.each([undefined, null, {}, true, { decision: "yes", source: "rule" }, { decision: "allow", source: "dream" }])(
    "that answers %j as its policy permits nothing",
    async (answer) => {
      const call = await approvals({});
      const { result, seen } = await call(ls, { host: { policy: () => answer as PolicyAnswer } });
      expect(result).toMatchObject({ outcome: "denied", source: "policy_error_deny" });
      expect(seen.executed).toEqual([]);
    },
  );

  test.each([undefined, null, {}, true, "yes", { decision: "maybe" }])(
    "whose user answers %j permits nothing",
    async (answer) => {
      const call = await approvals({});
      const { result } = await call(ls, { host: { askUser: () => answer as UserAnswer } });
      expect(result).toMatchObject({ outcome: "denied", source: "user_error_deny" });
    },
  );

  test("without a policy is asked about everything", async () => {
    const call = await approvals({});
    expect((await call(ls, { user: "allow" })).result).toMatchObject({ outcome: "ran", source: "user_allow" });
    expect((await call(ls)).result).toMatchObject({ outcome: "denied", source: "non_interactive_deny" });
  });

  test("without a user to ask refuses, although it could ask", async () => {
    const call = await approvals({});
    const { result, seen } = await call(ls, { policy: MODE_ASKS, user: "allow", host: { nonInteractive: true } });
    expect(result).toMatchObject({ outcome: "denied", source: "non_interactive_deny", asked: false });
    expect(seen.questions).toEqual([]);
  });

  test("may pass on the user's reason", async () => {
    const call = await approvals({});
    const { result } = await call(ls, { user: { decision: "deny", reason: "use the other disk" } });
    expect(result).toMatchObject({ source: "user_deny", reason: "use the other disk" });
  });

  test("cannot change what was approved", async () => {
    const call = await approvals({});
    const input = { command: "ls", options: { all: true } };
    const { seen } = await call(input, {
      host: {
        askUser: (question) => {
          (input as { command: string }).command = "rm -rf /";
          input.options.all = false;
          expect(() => Object.assign(question.input, { command: "rm -rf /" })).toThrow(TypeError);
          expect(() => Object.assign(question.input["options"] as object, { all: false })).toThrow(TypeError);
          return "allow";
        },
      },
    });
    expect(seen.executed).toEqual([{ command: "ls", options: { all: true } }]);
    expect(Object.isFrozen(seen.executed[0]?.["options"])).toBe(true);
  });

  test("runs what the rules were shown, even if the input has another value at each reading", async () => {
    let reads = 0;
    const input = {
      get command() {
        reads += 1;
        return reads === 1 ? "ls" : "rm -rf /";
      },
    };
    const call = await approvals({ ToolGuard: [shell("g", "true")] });
    const { seen, payloadOf } = await call(input, { policy: MODE_ALLOWS });
    expect(seen.executed).toEqual([ls]);
    expect(payloadOf("g")).toMatchObject({ tool_input: ls });
  });

  test("may not pass an input that is not a JSON object", async () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const call = await approvals({ ToolGuard: [shell("g", "true")] });
    for (const input of [circular, { size: 1n }, [], "ls", null]) {
      const { result, runs, seen } = await call(input as JsonObject, { policy: MODE_ALLOWS });
      expect(result).toMatchObject({ outcome: "denied", source: "tool_input_invalid_deny" });
      expect([...runs, ...seen.executed]).toEqual([]);
    }
  });

  test("receives a tool's empty answer as null", async () => {
    const call = await approvals({});
    const { result } = await call(ls, { policy: MODE_ALLOWS, host: { execute: () => undefined } });
    expect(result).toMatchObject({ outcome: "ran", output: null });
  });

  test("has its methods called on itself", async () => {
    const call = await approvals({});
    const host = {
      answer: MODE_ALLOWS,
      policy(): PolicyAnswer {
        return this.answer;
      },
    };
    expect((await call(ls, { host })).result.source).toBe("yolo");
  });
});

describe("a call that is cancelled", () => {
  const sleeps = (name: string, more: JsonObject = {}): ReturnType<typeof shell> => shell(name, "exec sleep 5", more);
  const never = <Value>(): Promise<Value> => new Promise(() => {});

  const atHooks = {
    transform: { ToolInputTransform: [sleeps("slow")] },
    guard: { ToolGuard: [sleeps("slow")] },
    "preempt lane": { PreToolUse: [sleeps("slow", { lane: "preempt" })] },
    "default lane": { PreToolUse: [sleeps("slow")] },
    "permission request": { PermissionRequest: [sleeps("slow")] },
  };
  test.each(Object.entries(atHooks))("in the %s is cancelled, not denied, and does not run", async (_, hooks) => {
    const call = await approvals({ ...hooks, ToolApprovalDecision: [shell("decided", "true")] });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 40);
    const { result, seen, payloadOf } = await call(ls, {
      policy: MODE_ASKS,
      user: "allow",
      host: { signal: controller.signal },
    });
    expect(result).toMatchObject({ outcome: "cancelled", source: "context_canceled", executed: false });
    expect(seen.executed).toEqual([]);
    expect(payloadOf("decided")).toMatchObject({ approval_decision: "canceled" });
  });

  test("is cancelled even if another rule of the phase has refused it", async () => {
    const call = await approvals({ ToolGuard: [decides("g", "ToolGuard", "deny"), sleeps("slow")] });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    const { result } = await call(ls, { policy: MODE_ALLOWS, host: { signal: controller.signal } });
    expect(result).toMatchObject({ outcome: "cancelled", source: "context_canceled", executed: false });
  });

  const atCallbacks: Readonly<Record<string, Partial<ToolCallHost>>> = {
    "the policy": { policy: never },
    "the user": { askUser: never },
    "a grant": { askUser: () => "allow-always", grant: never },
  };
  test.each(Object.entries(atCallbacks))("while %s is asked is cancelled as well", async (_, host) => {
    const call = await approvals({});
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 10);
    const { result, seen } = await call(ls, { host: { ...host, signal: controller.signal } });
    expect(result).toMatchObject({ outcome: "cancelled", executed: false });
    expect(seen.executed).toEqual([]);
  });

  test("in the second look after a rewrite does not run", async () => {
    const controller = new AbortController();
    const call = await approvals({ PreToolUse: [rewrites("p", "PreToolUse", { command: "pwd" })] });
    const { result, seen } = await call(ls, {
      policy: (pending) => {
        if (pending.rewritten) controller.abort();
        return MODE_ASKS;
      },
      user: "allow",
      host: { signal: controller.signal },
    });
    expect(result.outcome).toBe("cancelled");
    expect(seen.executed).toEqual([]);
  });

  test("before it starts asks no rule", async () => {
    const call = await approvals({ ToolGuard: [shell("g", "true")] });
    const { result, runs, seen } = await call(ls, { policy: MODE_ALLOWS, host: { signal: AbortSignal.abort() } });
    expect(result.outcome).toBe("cancelled");
    expect([...runs, ...seen.policy, ...seen.executed]).toEqual([]);
  });

  test("while its tool runs is cancelled, and observers of failures receive it", async () => {
    const controller = new AbortController();
    const call = await approvals({ PostToolUseFailure: [shell("failed", "true")] }, "claude-code");
    const { result, payloadOf } = await call(ls, {
      policy: MODE_ALLOWS,
      host: {
        signal: controller.signal,
        execute: (_, { signal }) => {
          controller.abort();
          signal.throwIfAborted();
          return "never";
        },
      },
    });
    expect(result).toMatchObject({ outcome: "cancelled", executed: true, output: null });
    expect(payloadOf("failed")).toMatchObject({ is_interrupt: true });
  });

  test("while its response is changed gives the response to no caller", async () => {
    const controller = new AbortController();
    const call = await approvals({ ToolResponseTransform: [sleeps("slow")] });
    const { result } = await call(ls, {
      policy: MODE_ALLOWS,
      output: "hunter2",
      host: {
        signal: controller.signal,
        execute: () => {
          setTimeout(() => controller.abort(), 40);
          return "hunter2";
        },
      },
    });
    expect(result).toMatchObject({ outcome: "cancelled", executed: true, output: null });
  });

  test("after its response was changed has run", async () => {
    const controller = new AbortController();
    const call = await approvals({ PostToolUse: [sleeps("slow")] });
    const { result } = await call(ls, {
      policy: MODE_ALLOWS,
      host: {
        signal: controller.signal,
        execute: () => {
          setTimeout(() => controller.abort(), 40);
          return "done";
        },
      },
    });
    expect(result).toMatchObject({ outcome: "ran", output: "done" });
    expect(result.verdicts.at(-1)).toMatchObject({ phase: "post-tool-use", verdict: { cancelled: true } });
  });
});

describe("a wasm guard in a tool call", () => {
  test("refuses, asks and cannot permit", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hookbox-guard-"));
    const guard = (decision: string): JsonObject => {
      const module = join(folder, `${decision}.wasm`);
      const reply = { hookSpecificOutput: { hookEventName: "ToolGuard", permissionDecision: decision } };
      writeFileSync(module, answering(JSON.stringify(reply)));
      return { type: "wasm", name: decision, module };
    };
    try {
      const sources: string[] = [];
      for (const decision of ["deny", "ask", "allow"]) {
        const call = await approvals({ ToolGuard: [guard(decision)] });
        sources.push((await call(ls, { policy: MODE_ASKS, user: "deny" })).result.source);
      }
      expect(sources).toEqual(["tool_guard_deny", "user_deny", "user_deny"]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("has a label like every rule", async () => {
    const call = await approvals({ ToolGuard: [decides("g", "ToolGuard", "ask")] });
    const { seen } = await call(ls, { policy: MODE_ASKS, user: "deny" });
    expect(seen.questions[0]?.reasons).toEqual(["g: g says so"]);
  });
});
