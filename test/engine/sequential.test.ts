import { describe, expect, test } from "vitest";
import type { Reply } from "../../src/outcome.ts";
import { bash, dialectWith, engineOf, type FakeRule, failure, type Hook } from "./fake-hooks.ts";

const sequential = { order: "sequential", rewriteMode: "patch" } as const;

function inTurn(rules: readonly FakeRule[], row: object = {}) {
  return engineOf(rules, { dialect: dialectWith("PreToolUse", { ...sequential, ...row }) });
}

/** Records what it is shown. */
function seeing(seen: unknown[], reply: Reply | ((input: never) => Reply) = {}, field = "tool_input"): Hook {
  return ({ payload }) => {
    seen.push(payload[field]);
    return typeof reply === "function" ? reply(payload["tool_input"] as never) : reply;
  };
}

function noting(runs: string[], name: string, reply: Reply = {}): Hook {
  return () => {
    runs.push(name);
    return reply;
  };
}

const append = (text: string) => (input: { command: string }) => ({ updatedInput: { command: input.command + text } });

describe("sequential rules", () => {
  test("see the changes of rules before them, and end with the complete input", async () => {
    const seen: unknown[] = [];
    const engine = inTurn([
      { name: "a", hook: seeing(seen, { updatedInput: { command: "ls" } }) },
      { name: "b", hook: seeing(seen, append(" -l")) },
      { name: "c", hook: seeing(seen) },
      { name: "d", hook: seeing(seen, append(" -h")) },
    ]);
    const payload = bash("x", { cwd: "/tmp", nested: { deep: 1 } });
    const verdict = await engine.dispatch("PreToolUse", payload, { secondLook: false });
    const rest = { cwd: "/tmp", nested: { deep: 1 } };
    expect(seen).toEqual([
      { command: "x", ...rest },
      { command: "ls", ...rest },
      { command: "ls -l", ...rest },
      { command: "ls -l", ...rest },
    ]);
    expect(verdict.updatedInput).toEqual({ command: "ls -l -h", ...rest });
    expect(payload).toEqual(bash("x", rest));
  });

  test.each([{ command: "x" }, null])("treat an empty patch as the unchanged input: %o", async (input) => {
    const engine = inTurn([{ name: "a", hook: () => ({ updatedInput: {} }) }]);
    const payload = { tool_name: "Bash", ...(input === null ? {} : { tool_input: input }) };
    expect((await engine.dispatch("PreToolUse", payload)).updatedInput).toEqual(input ?? {});
  });

  test("go on after a failure, whose rewrite has no effect and reverts nothing", async () => {
    const seen: unknown[] = [];
    const engine = inTurn([
      { name: "a", hook: () => ({ updatedInput: { command: "first" } }) },
      { name: "b", hook: () => failure("exit"), onFailure: "continue" },
      { name: "c", hook: seeing(seen) },
    ]);
    const verdict = await engine.dispatch("PreToolUse", bash("x"), { secondLook: false });
    expect(seen).toEqual([{ command: "first" }]);
    expect(verdict).toMatchObject({ decision: "none", updatedInput: { command: "first" } });
  });

  test.each(["__proto__", "constructor", "prototype"])("fail with a patch of the field %s", async (key) => {
    const seen: unknown[] = [];
    const patch = JSON.parse(`{"${key}": {"polluted": true}}`);
    const engine = inTurn([
      { name: "a", hook: () => ({ updatedInput: patch }) },
      { name: "b", hook: seeing(seen) },
    ]);
    const verdict = await engine.dispatch("PreToolUse", bash("x"));
    expect(verdict).toMatchObject({ decision: "deny", updatedInput: null });
    expect(verdict.rules[0]?.failure).toMatchObject({ kind: "invalid-output", message: expect.stringContaining(key) });
    expect(seen).toEqual([{ command: "x" }]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("do not see the rewrite of a rule in monitor mode", async () => {
    const seen: unknown[] = [];
    const engine = inTurn([
      { name: "a", mode: "monitor", hook: () => ({ updatedInput: { command: "y" } }) },
      { name: "b", hook: seeing(seen) },
    ]);
    expect((await engine.dispatch("PreToolUse", bash("x"))).updatedInput).toBeNull();
    expect(seen).toEqual([{ command: "x" }]);
  });

  test("run with deadlines that start with their turns", async () => {
    const slowly: Hook = async () => {
      await new Promise((resolve) => setTimeout(resolve, 120));
      return {};
    };
    const rules = ["a", "b", "c"].map((name) => ({ name, hook: slowly, timeoutMs: 250 }));
    const verdict = await inTurn(rules).dispatch("PreToolUse", bash("x"));
    expect(verdict.rules.map(({ status }) => status)).toEqual(["abstained", "abstained", "abstained"]);
  });

  test("pass outputs and messages on in the same way", async () => {
    const seen: unknown[] = [];
    const outputs = engineOf(
      [
        { name: "a", event: "PostToolUse", hook: () => ({ updatedOutput: "first" }) },
        {
          name: "b",
          event: "PostToolUse",
          hook: ({ payload }) => ({ updatedOutput: `${String(payload["tool_response"])}-second` }),
        },
        { name: "c", event: "PostToolUse", hook: seeing(seen, {}, "tool_response") },
        { name: "d", event: "PostToolUse", hook: () => ({ updatedOutput: null }) },
        { name: "e", event: "PostToolUse", hook: () => ({ updatedMessages: [] }) },
      ],
      { dialect: dialectWith("PostToolUse", { order: "sequential" }) },
    );
    const verdict = await outputs.dispatch("PostToolUse", { tool_name: "Bash", tool_response: "raw", messages: [1] });
    expect(verdict).toMatchObject({ updatedOutput: "first-second", updatedMessages: null });
    expect(seen).toEqual(["first-second"]);
  });

  test("may clear an output", async () => {
    const engine = engineOf(
      [
        { name: "a", event: "PostToolUse", hook: () => ({ updatedOutput: "first" }) },
        { name: "b", event: "PostToolUse", hook: () => ({ updatedOutput: "" }) },
      ],
      { dialect: dialectWith("PostToolUse", { order: "sequential" }) },
    );
    expect((await engine.dispatch("PostToolUse", { tool_name: "Bash", tool_response: "raw" })).updatedOutput).toBe("");
  });
});

test.each([
  ["twice, before and behind the rewriter", ["guard", "rewriter", "guard"]],
  ["behind the rewriter", ["rewriter", "guard"]],
])("a rule whose condition only the new input matches sees it once, placed %s", async (_, names) => {
  const seen: unknown[] = [];
  const guard = {
    condition: "Bash(rm *)",
    identity: "the same guard",
    hook: seeing(seen, { decision: "deny" }),
  };
  const rewriter = { hook: () => ({ updatedInput: { command: "rm -rf /" } }) };
  const engine = inTurn(names.map((name, at) => ({ name: `${name} ${at}`, ...(name === "guard" ? guard : rewriter) })));
  const verdict = await engine.dispatch("PreToolUse", bash("ls"), { secondLook: false });
  expect(seen).toEqual([{ command: "rm -rf /" }]);
  expect(verdict.decision).toBe("deny");
});

test("conditions of sequential rules are tested against the input that they would see", async () => {
  const ran: string[] = [];
  const response = { order: "sequential", subject: "tool_response", required: [] };
  const rule = (name: string, matcher: string, reply: Reply = {}): FakeRule => ({
    name,
    matcher,
    event: "PostToolUse",
    hook: noting(ran, name, reply),
  });
  const engine = engineOf(
    [
      rule("early", "new"),
      rule("rewriter", "raw", { updatedOutput: "new" }),
      rule("of the original", "raw"),
      rule("of the rewrite", "new"),
    ],
    { dialect: dialectWith("PostToolUse", response) },
  );
  await engine.dispatch("PostToolUse", { tool_response: "raw" });
  expect(ran).toEqual(["rewriter", "of the rewrite"]);
});

describe("the second look after sequential rules", () => {
  test("skips rules that have judged the final input", async () => {
    const runs: string[] = [];
    const ran = (name: string, reply: Reply = {}): FakeRule => ({ name, hook: noting(runs, name, reply) });
    const engine = inTurn([ran("early"), ran("rewriter", { updatedInput: { command: "y" } }), ran("late")]);
    const verdict = await engine.dispatch("PreToolUse", bash("x"));
    expect(runs).toEqual(["early", "rewriter", "late", "early"]);
    expect(verdict.updatedInput).toEqual({ command: "y" });
  });

  test("ignores, with a note, what a rewriter answers again", async () => {
    const engine = inTurn([
      { name: "a", hook: ({ payload }) => append("-a")(payload["tool_input"] as never) },
      { name: "b", hook: ({ payload }) => append("-b")(payload["tool_input"] as never) },
    ]);
    const verdict = await engine.dispatch("PreToolUse", bash("x"));
    expect(verdict).toMatchObject({ decision: "none", updatedInput: { command: "x-a-b" } });
    expect(verdict.rules.at(-1)).toMatchObject({
      rule: "a",
      look: "second",
      dropped: ["updatedInput: the second look may only refuse"],
    });
  });

  test("is a failure for a rule that had not rewritten before, and does now", async () => {
    const engine = inTurn([
      {
        name: "a",
        hook: ({ payload }) => (JSON.stringify(payload).includes("-b") ? { updatedInput: { command: "rm" } } : {}),
      },
      { name: "b", hook: () => ({ updatedInput: { command: "x-b" } }) },
    ]);
    const verdict = await engine.dispatch("PreToolUse", bash("x"));
    expect(verdict).toMatchObject({ decision: "deny", updatedInput: null });
  });

  test("judges what a rewrite moved past a rule", async () => {
    const engine = inTurn([
      { name: "guard", hook: ({ payload }) => (JSON.stringify(payload).includes("rm") ? { decision: "deny" } : {}) },
      { name: "b", hook: () => ({ updatedInput: { command: "rm -rf /" } }) },
    ]);
    expect(await engine.dispatch("PreToolUse", bash("x"))).toMatchObject({ decision: "deny", updatedInput: null });
  });

  test("keeps the permission of a rule that has judged the final input, and no other", async () => {
    const allow: Hook = () => ({ decision: "allow" });
    const rewrite: Hook = () => ({ updatedInput: { command: "y" } });
    const after = inTurn([
      { name: "b", hook: rewrite },
      { name: "a", hook: allow },
    ]);
    expect((await after.dispatch("PreToolUse", bash("x"))).decision).toBe("allow");
    const before = inTurn([
      { name: "a", hook: allow },
      { name: "b", hook: rewrite },
    ]);
    expect((await before.dispatch("PreToolUse", bash("x"), { secondLook: false })).decision).toBe("none");
  });

  test("is skipped if the action is already refused", async () => {
    const runs: string[] = [];
    const engine = inTurn([
      { name: "a", hook: noting(runs, "a") },
      { name: "b", hook: noting(runs, "b", { decision: "deny", updatedInput: { command: "y" } }) },
    ]);
    expect((await engine.dispatch("PreToolUse", bash("x"))).decision).toBe("deny");
    expect(runs).toEqual(["a", "b"]);
  });
});

describe("a question about the input", () => {
  const asks: Hook = () => ({ approval: { title: "sure?" }, updatedInput: { command: "asked" } });
  const exchanges: Hook = () => ({ updatedInput: { command: "rm" } });

  test.each(["sequential", "parallel"] as const)(
    "freezes it: no later rule replaces it, in a %s event",
    async (order) => {
      const engine = inTurn(
        [
          { name: "asker", hook: asks },
          { name: "late", hook: exchanges },
        ],
        { order },
      );
      const verdict = await engine.dispatch("PreToolUse", bash("x"));
      expect(verdict).toMatchObject({
        decision: "none",
        approval: { title: "sure?" },
        updatedInput: { command: "asked" },
      });
      expect(verdict.rules[1]?.dropped).toEqual(['updatedInput: "asker" asks for approval of the input as it is']);
    },
  );

  test("keeps earlier rewrites, and can still be refused", async () => {
    const engine = inTurn([
      { name: "early", hook: exchanges },
      { name: "asker", hook: () => ({ approval: { title: "sure?" } }) },
    ]);
    expect((await engine.dispatch("PreToolUse", bash("x"))).updatedInput).toEqual({ command: "rm" });
    const refused = inTurn([
      { name: "asker", hook: asks },
      { name: "no", hook: () => ({ decision: "deny" }) },
    ]);
    expect((await refused.dispatch("PreToolUse", bash("x"))).decision).toBe("deny");
  });

  test("is the first rule's, and a second one is reported", async () => {
    const engine = inTurn([
      { name: "a", hook: () => ({ approval: { title: "a?" } }) },
      { name: "b", hook: () => ({ approval: { title: "b?" } }) },
    ]);
    const verdict = await engine.dispatch("PreToolUse", bash("x"));
    expect(verdict.approval).toEqual({ title: "a?" });
    expect(verdict.rules[1]?.dropped).toEqual(['approval: "a" has asked already']);
  });
});

test("rules of a lane with terms of its own are run by these terms: in parallel", async () => {
  let waiting = 0;
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const meets: Hook = async () => {
    if (++waiting === 2) open();
    await gate;
    return {};
  };
  const rules = ["a", "b"].map((name) => ({ name, lane: "preempt" as const, hook: meets }));
  const engine = engineOf(rules, { dialect: "docker-agent" });
  const verdict = await engine.dispatch("PreToolUse", bash("x"), { lane: "preempt" });
  expect(verdict.rules.map(({ outcome }) => outcome)).toEqual(["success", "success"]);
});
