import { expect, test } from "vitest";
import { inputOf } from "../../src/executors/wasm/calls/event-input.ts";
import type { JsonObject } from "../../src/json.ts";

const seen = (name: string, payload: JsonObject): unknown =>
  JSON.parse(inputOf({ name, dialect: "claude-code", payload }).text).actions;

const CALL = { cwd: "/p", tool_name: "Write", tool_input: { file_path: "a", content: "x" } };
const ACTIONS = [{ kind: "write", path: "/p/a", content: "/content" }];

test.each(["PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure", "ToolGuard"])(
  "a guard gets the actions of the call at %s",
  (name) => {
    expect(seen(name, CALL)).toEqual(ACTIONS);
  },
);

test("a guard gets no actions at an event without a tool", () => {
  expect(seen("UserPromptSubmit", { prompt: "x", actions: [] })).toBeUndefined();
});

test("actions in the payload are replaced by the host's", () => {
  expect(seen("PreToolUse", { ...CALL, actions: [] })).toEqual(ACTIONS);
});
