import { expect, test } from "vitest";
import { SPOKEN } from "../../src/dialects/hookbox/schema.ts";
import { DIALECTS, SPEAKERS } from "../../src/dialects/registry.ts";
import { RuleIndex } from "../../src/matcher/rule-index.ts";
import { parse, parseHandler } from "./parse.ts";

const context = { speakers: SPEAKERS };

test("offers the dialects of all agents whose hooks are programs", () => {
  expect(Object.keys(SPEAKERS).sort()).toEqual([...SPOKEN].sort());
  expect(Object.keys(DIALECTS)).toEqual(expect.arrayContaining([...SPOKEN]));
});

test.each(SPOKEN)("gives a hook that speaks %s that agent's codec and contract", async (speaks) => {
  const { rule, problems } = await parseHandler("hookbox", { type: "command", command: "x", speaks }, "Stop", context);
  expect(problems).toEqual([]);
  expect(rule).toMatchObject({ dialect: speaks, codec: SPEAKERS[speaks] });
});

test("reads the matcher next to it in that agent's style", async () => {
  const hook = { type: "command", command: "x", speaks: "docker-agent" };
  const { rules, problems } = await parse(
    "hookbox",
    { hooks: { PreToolUse: [{ matcher: "mcp_.*", hooks: [hook] }] } },
    context,
  );
  expect(problems).toEqual([]);
  const index = new RuleIndex(rules);
  const asked = (tool_name: string) =>
    index.select({ name: "PreToolUse", dialect: "claude-code", payload: { hook_event_name: "PreToolUse", tool_name } });
  expect(asked("mcp_x")).toHaveLength(1);
  expect(asked("my_mcp_x")).toHaveLength(0);
});

test("requires a matcher that every hook of its group can read", async () => {
  const group = (speaks?: string) => ({
    hooks: {
      PreToolUse: [
        { matcher: "*shell*", hooks: [{ type: "command", command: "x", ...(speaks === undefined ? {} : { speaks }) }] },
      ],
    },
  });
  expect((await parse("hookbox", group("agentao"), context)).problems).toEqual([]);
  expect((await parse("hookbox", group(), context)).problems).toMatchObject([{ code: "HOOK_CONFIG_MATCHER" }]);
});

test.each([
  [
    "a guard",
    { type: "wasm", module: "builtin:shell-guard", speaks: "claude-code" },
    "PreToolUse",
    "HOOK_CONFIG_UNKNOWN_KEY",
  ],
  ["a text", { type: "context", text: "x", speaks: "claude-code" }, "UserPromptSubmit", "HOOK_CONFIG_UNKNOWN_KEY"],
  ["an agent that nobody knows", { type: "command", command: "x", speaks: "nobody" }, "PreToolUse", "HOOK_CONFIG_TYPE"],
  ["an in-process agent", { type: "command", command: "x", speaks: "openclaw" }, "PreToolUse", "HOOK_CONFIG_TYPE"],
  [
    "an agent without the event",
    { type: "command", command: "x", speaks: "claude-code" },
    "ToolGuard",
    "HOOK_CONFIG_HANDLER",
  ],
])("refuses speaks of %s, and keeps the gate shut", async (_, hook, event, code) => {
  const { rule, problems } = await parseHandler("hookbox", hook, event, context);
  expect(problems).toMatchObject([{ severity: "error", code }]);
  expect(rule?.handler.type).toBe("broken");
});

test("refuses a dialect without a codec", async () => {
  const { rule, problems } = await parseHandler("hookbox", { type: "command", command: "x", speaks: "patterns" });
  expect(problems).toMatchObject([{ severity: "error", code: "HOOK_CONFIG_HANDLER" }]);
  expect(rule?.handler.type).toBe("broken");
});
