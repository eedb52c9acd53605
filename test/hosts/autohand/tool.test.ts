import { describe, expect, test } from "vitest";
import type { AutohandToolHost } from "../../../src/hosts/autohand/index.ts";
import type { PolicyAnswer } from "../../../src/index.ts";
import type { JsonObject } from "../../../src/json.ts";
import { hosted } from "./hosted.ts";

const prints = (output: JsonObject | string, event = "pre-tool"): JsonObject => ({
  event,
  command: `printf '%s' '${typeof output === "string" ? output : JSON.stringify(output)}'`,
});
const runs = (command: string, more: JsonObject = {}): JsonObject => ({ event: "pre-tool", command, ...more });

const SCHEMA: JsonObject = {
  type: "object",
  properties: {
    command: { type: "string" },
    args: { type: "array", items: { type: "string" } },
    cwd: { type: "string" },
  },
  required: ["command"],
};

/** Runs a call of `run_command` with these hooks, and returns everything that happened. */
async function call(
  hooks: readonly JsonObject[],
  { args = { command: "ls" }, ...host }: Partial<AutohandToolHost> & { readonly args?: JsonObject } = {},
) {
  const { host: agent, heard } = await hosted(hooks, { toolSchemas: { run_command: SCHEMA } });
  const seen = {
    executed: [] as unknown[],
    policy: [] as unknown[],
    questions: [] as unknown[],
    contexts: [] as string[],
  };
  const result = await agent.toolCall(
    { tool: "run_command", args, id: "c1" },
    {
      askUser: (question) => {
        seen.questions.push([question.toolName, question.input]);
        return "allow";
      },
      onContext: (text) => void seen.contexts.push(text),
      execute: (input) => {
        seen.executed.push(input);
        return "done";
      },
      ...host,
      policy: (pending): PolicyAnswer | Promise<PolicyAnswer> => {
        seen.policy.push(pending.input);
        return host.policy?.(pending) ?? { decision: "ask", source: "mode" };
      },
    },
  );
  return { result, seen, heard };
}

describe("AH-13: a tool is not run after a pre-tool hook", () => {
  test.each<readonly [string, JsonObject]>([
    ["ends with exit code 2", runs("echo no >&2; exit 2")],
    ["says deny", prints({ decision: "deny", reason: "no" })],
    ["says block", prints({ decision: "block" })],
    ["says continue: false", prints({ continue: false, stopReason: "enough" })],
    ["decides something unknown", prints({ decision: "maybe" })],
    ["gives a value of the wrong type", prints({ reason: 3 })],
    ["prints what only looks like JSON", prints("{not-json")],
    ["ends with exit code 1", runs("exit 1")],
    ["does not end in time", runs("exec sleep 5", { timeout: 150 })],
    ["is killed", runs("kill -9 $$")],
    ["cannot be started", runs("exec ./not-there")],
  ])("%s", async (_, hook) => {
    const { result, seen } = await call([hook], { policy: () => ({ decision: "allow", source: "rule" }) });
    expect(result).toMatchObject({ outcome: "denied", executed: false });
    expect(result.reason).not.toBeNull();
    expect(seen).toMatchObject({ executed: [], questions: [] });
  });

  test("that is a function and throws", async () => {
    const { host } = await hosted([]);
    const boom = () => {
      throw new Error("boom");
    };
    await host.engine.register([{ event: "PreToolUse", type: "function", run: boom }]);
    const execute = () => expect.unreachable();
    const result = await host.toolCall({ tool: "run_command", args: { command: "ls" } }, { execute });
    expect(result.outcome).toBe("denied");
  });
});

test("an answer that is null has no effect", async () => {
  const { result } = await call([prints({ decision: null, updatedInput: null, continue: null })]);
  expect(result).toMatchObject({ outcome: "ran", source: "user_allow" });
});

test("AH-14: a hook that asks has the user asked once, if no permission hook answers", async () => {
  const hooks = [prints({ decision: "ask" }), { event: "permission-request", command: "true" }];
  const { result, seen } = await call(hooks, { policy: () => ({ decision: "allow", source: "rule" }) });
  expect(result).toMatchObject({ outcome: "ran", asked: true });
  expect(seen.questions).toEqual([["run_command", { command: "ls" }]]);
});

test("a permission hook may answer instead of the user", async () => {
  const hooks = [prints({ decision: "ask" }), prints({ decision: "allow" }, "permission-request")];
  const { result, seen, heard } = await call(hooks);
  expect(result).toMatchObject({ outcome: "ran", asked: false });
  expect(seen.questions).toEqual([]);
  expect(heard().map(([method]) => method.split(".").at(-1))).toEqual(["preTool", "permissionRequest", "postTool"]);
});

test("AH-15: an allowed call runs with its new arguments and its own tool, and the user is not asked", async () => {
  const { result, seen, heard } = await call([prints({ decision: "allow", updatedInput: { args: ["-l", "a b"] } })]);
  expect(result).toMatchObject({ outcome: "ran", asked: false, input: { command: "ls", args: ["-l", "a b"] } });
  expect(seen.executed).toEqual([{ command: "ls", args: ["-l", "a b"] }]);
  expect(seen.policy).toEqual([{ command: "ls" }, { command: "ls", args: ["-l", "a b"] }]);
  const [pre, ...others] = heard().filter(([method]) => method.endsWith("preTool"));
  expect(pre?.[1]).toEqual({ toolId: "c1", toolName: "run_command", args: { command: "ls" } });
  expect(others).toEqual([]);
});

test("AH-16: a call that a hook has changed is judged by the policy again, which decides", async () => {
  const hook = prints({ decision: "allow", updatedInput: { command: "rm -rf /" } });
  const policy: AutohandToolHost["policy"] = ({ input }) =>
    String(input["command"]).startsWith("rm")
      ? { decision: "deny", source: "rule" }
      : { decision: "allow", source: "mode" };
  const { result, seen } = await call([hook], { policy });
  expect(result).toMatchObject({ outcome: "denied", source: "rule_deny" });
  expect(seen).toMatchObject({ policy: [{ command: "ls" }, { command: "rm -rf /" }], executed: [] });
});

test("a call that the policy refuses is not put to hooks", async () => {
  const { result, heard } = await call([prints({ decision: "allow" })], {
    policy: () => ({ decision: "deny", source: "rule" }),
  });
  expect(result).toMatchObject({ outcome: "denied", source: "rule_deny" });
  expect(heard().map(([method]) => method)).not.toContain("autohand.hook.preTool");
});

describe("AH-17: a new input is refused", () => {
  test.each([
    '{"type": "read_file"}',
    '{"tool": "read_file"}',
    '{"__proto__": {"command": "x"}}',
    '{"constructor": 1}',
    '{"prototype": 1}',
    '{"unknown": 1}',
    '{"command": 3}',
    '{"args": [1]}',
    '{"command": null}',
  ])("%s", async (updated) => {
    const { result, seen } = await call([prints(`{"decision": "allow", "updatedInput": ${updated}}`)]);
    expect(result).toMatchObject({ outcome: "denied", executed: false });
    expect(seen.executed).toEqual([]);
  });
});

test("AH-18: text that a hook adds reaches the conversation, and the call keeps its id", async () => {
  const { seen, heard } = await call([prints({ additionalContext: "mind the gap" })]);
  expect(seen.contexts).toEqual([expect.stringContaining("mind the gap")]);
  expect(heard().map(([method, { toolId }]) => [method, toolId])).toEqual([
    ["autohand.hook.preTool", "c1"],
    ["autohand.hook.permissionRequest", undefined],
    ["autohand.hook.postTool", "c1"],
  ]);
});

test("a call with arguments is judged as one line and runs unchanged", async () => {
  const guard = {
    event: "PreToolUse",
    type: "function",
    run: (event: JsonObject) => ({ systemMessage: JSON.stringify(event["tool_input"]) }),
  };
  const { host } = await hosted([]);
  await host.engine.register([guard as never]);
  const executed: unknown[] = [];
  const args = { command: "rm", args: ["-rf", "a b"] };
  const result = await host.toolCall(
    { tool: "run_command", args },
    { askUser: () => "allow", execute: (input) => void executed.push(input) },
  );
  expect(result.systemMessages.join()).toContain("rm -rf 'a b'");
  expect(executed).toEqual([args]);
});

test("a tool that fails is reported as one that did not succeed", async () => {
  const { result, heard } = await call([], {
    execute: () => {
      throw new Error("broken pipe");
    },
  });
  expect(result.outcome).toBe("failed");
  expect(heard().at(-1)).toMatchObject([
    "autohand.hook.postTool",
    { success: false, output: expect.stringContaining("broken pipe") },
  ]);
});
