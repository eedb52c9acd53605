import { expect, onTestFinished, test } from "vitest";
import { createEngine, type Engine, type JsonObject, type RuleInput } from "../../src/index.ts";

async function engineWith(...rules: readonly RuleInput[]): Promise<Engine> {
  const engine = await createEngine({ dialect: "docker-agent", cacheDir: false });
  onTestFinished(() => engine.close());
  await engine.register(rules);
  return engine;
}

const reply = (event: string, fields: JsonObject): JsonObject => ({
  hookSpecificOutput: { hookEventName: event, ...fields },
});

test("functions take part in a tool call in every phase", async () => {
  const heard: string[] = [];
  const at = (event: string, fields: JsonObject = {}): RuleInput => ({
    event,
    type: "function",
    name: event,
    run: ({ tool_input }) => {
      heard.push(`${event} ${(tool_input as JsonObject)["command"]}`);
      return reply(event, fields);
    },
  });
  const engine = await engineWith(
    at("ToolInputTransform", { updatedInput: { command: "pwd" } }),
    at("ToolGuard"),
    at("PreToolUse", { permissionDecision: "allow", updatedInput: { command: "pwd -P" } }),
    at("ToolResponseTransform", { updatedToolOutput: "shorter" }),
    at("PostToolUse"),
  );
  const executed: JsonObject[] = [];
  const result = await engine.toolCall(
    { toolName: "Bash", input: { command: "ls" } },
    {
      policy: () => ({ decision: "ask", source: "mode" }),
      execute: (input) => {
        executed.push(input);
        return "a long text";
      },
    },
  );
  expect(result).toMatchObject({ outcome: "ran", source: "pre_tool_use_hook_allow", output: "shorter" });
  expect(executed).toEqual([{ command: "pwd -P" }]);
  expect(heard).toEqual([
    "ToolInputTransform ls",
    "ToolGuard pwd",
    "PreToolUse pwd",
    "ToolGuard pwd -P",
    "ToolResponseTransform pwd -P",
    "PostToolUse pwd -P",
  ]);
});

test("a transform changes the fields that it names, and a function that throws keeps the gate shut", async () => {
  const engine = await engineWith(
    {
      event: "ToolInputTransform",
      type: "function",
      run: () => reply("ToolInputTransform", { updatedInput: { command: "pwd" } }),
    },
    {
      event: "ToolGuard",
      type: "function",
      run: () => {
        throw new Error("out of order");
      },
    },
  );
  const result = await engine.toolCall(
    { toolName: "Bash", input: { command: "ls", cwd: "/tmp" } },
    { policy: () => ({ decision: "allow", source: "rule" }), execute: () => "never" },
  );
  expect(result).toMatchObject({
    outcome: "denied",
    source: "tool_guard_deny",
    input: { command: "pwd", cwd: "/tmp" },
  });
});

test("a guard's note reaches the question, with the doubts of all guards", async () => {
  const doubts = (name: string): RuleInput => ({
    event: "ToolGuard",
    type: "function",
    name,
    run: () => ({
      ...reply("ToolGuard", {
        permissionDecision: "ask",
        permissionDecisionReason: "sure?",
        metadata: { [name]: "yes", last: name },
      }),
    }),
  });
  const engine = await engineWith(doubts("first"), doubts("second"));
  const asked: unknown[] = [];
  await engine.toolCall(
    { toolName: "Bash", input: { command: "ls" } },
    {
      policy: () => ({ decision: "allow", source: "mode" }),
      askUser: ({ metadata, reasons }) => {
        asked.push({ metadata, reasons });
        return "deny";
      },
      execute: () => "never",
    },
  );
  expect(asked).toEqual([
    { metadata: { first: "yes", second: "yes", last: "second" }, reasons: ["first: sure?\nsecond: sure?"] },
  ]);
});
