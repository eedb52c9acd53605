import { describe, expect, test } from "vitest";
import { BUILTINS, misplaced } from "../../../src/dialects/docker-agent/builtins.ts";
import {
  AGENT_SHORTHANDS,
  ALWAYS_ON,
  SETTINGS_SHORTHANDS,
  TOOLSET_SHORTHANDS,
} from "../../../src/dialects/docker-agent/shorthands.ts";
import { canonicalEvent } from "../../../src/dialects/docker-agent/spelling.ts";
import { parse } from "./docker-hooks.ts";

/** Event, function and lane of each hook that could not be loaded for want of built-in hooks. */
const wanted = async (text: string, compat: "safer" | "faithful" = "safer") => {
  const { rules, problems } = await parse(text, { compat });
  expect(problems.every(({ code }) => code === "HOOK_CONFIG_UNSUPPORTED")).toBe(true);
  expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  return rules.map(({ event, name, handler }) => [event, name, handler.type === "broken" && handler.declaredType]);
};
const agent = (fields: string) => `agents: { root: { model: a/b, ${fields} } }`;

describe("a setting that stands for built-in hooks", () => {
  test.each<readonly [string, readonly (readonly [string, string])[]]>([
    ["add_date: true", [["TurnStart", "add_date"]]],
    ["add_environment_info: true", [["SessionStart", "add_environment_info"]]],
    ["add_prompt_files: [GUIDE.md]", [["TurnStart", "add_prompt_files"]]],
    ["add_prompt_files: []", []],
    ["add_date: false, redact_secrets: false, add_prompt_files:", []],
    [
      "redact_secrets: true",
      [
        ["ToolInputTransform", "redact_secrets"],
        ["BeforeModelCall", "redact_secrets"],
        ["ToolResponseTransform", "redact_secrets"],
      ],
    ],
    ["toolsets: [{ type: think }, { type: shell, safer: true }]", [["PreToolUse", "safer_shell"]]],
    ["toolsets: [{ type: shell, safer: false }]", []],
  ])("%s", async (fields, hooks) => {
    expect(await wanted(agent(fields))).toEqual(hooks.map(([event, name]) => [event, name, "builtin"]));
  });

  test("redacts inputs where the page says, when the page is what counts", async () => {
    const [first] = await wanted(agent("redact_secrets: true"), "faithful");
    expect(first).toEqual(["PreToolUse", "redact_secrets", "builtin"]);
  });

  test("of the user's takes snapshots at six events", async () => {
    const events = (await wanted("settings: { snapshot: true }")).map(([event]) => event);
    expect(events).toEqual(["SessionStart", "TurnStart", "TurnEnd", "PreToolUse", "PostToolUse", "SessionEnd"]);
    expect(await wanted("settings: { snapshot: false, theme: dark }")).toEqual([]);
  });

  test("comes after the hooks that are written out", async () => {
    const { rules } = await parse(agent("hooks: { turn_start: { type: command, command: mine } }, add_date: true"));
    expect(rules.map(({ name }) => name)).toEqual(["mine", "add_date"]);
  });

  test.each(["add_date: yes please", "redact_secrets: 1", "add_prompt_files: GUIDE.md", "add_prompt_files: [1]"])(
    "with a value that means nothing shuts every gate: %s",
    async (fields) => {
      const { rules, problems } = await parse(agent(fields));
      expect(rules).toMatchObject([{ event: "*", handler: { type: "broken" } }]);
      const key = fields.split(":")[0]!;
      expect(problems).toMatchObject([
        { code: "HOOK_CONFIG_TYPE", message: expect.stringContaining(`"${key}"`), place: { line: 1 } },
      ]);
    },
  );

  test("names only functions that the agent has, at events where they work", () => {
    const tables = [AGENT_SHORTHANDS, TOOLSET_SHORTHANDS, SETTINGS_SHORTHANDS].flatMap(Object.values);
    const hooks = tables.flatMap((expand) =>
      (["safer", "faithful"] as const).flatMap((compat) => expand(true, compat) ?? expand(["a"], compat) ?? []),
    );
    expect(hooks.length).toBeGreaterThan(15);
    for (const { builtin, event, args = [] } of [...hooks, ...ALWAYS_ON]) {
      expect(Object.keys(BUILTINS)).toContain(builtin);
      expect(misplaced(builtin, canonicalEvent(event)!, args)).toBeUndefined();
    }
  });
});

test("what the agent adds to every file cuts results after secrets are out of them, and costs no file its order", async () => {
  expect(ALWAYS_ON.map(({ event, builtin }) => [event, builtin])).toEqual([
    ["tool_response_transform", "limit_large_tool_results"],
    ["session_end", "limit_large_tool_results"],
  ]);
  expect(await parse(agent("hooks: { stop: { type: command, command: a } }"))).toMatchObject({
    rules: [{ name: "a" }],
    problems: [],
  });
});

describe("a built-in hook", () => {
  const builtin = (event: string, fields: string) => parse(`hooks: { ${event}: { type: builtin, ${fields} } }`);

  test("is refused by its own name, where it stands", async () => {
    const { rules, problems } = await builtin("before_llm_call", 'command: max_iterations, args: ["50"]');
    expect(rules).toMatchObject([{ name: "max_iterations", event: "BeforeModelCall" }]);
    expect(problems).toMatchObject([
      { code: "HOOK_CONFIG_UNSUPPORTED", message: expect.stringContaining("max_iterations") },
    ]);
  });

  test("of a name that the agent does not have is a mistake, and which one is said", async () => {
    const { problems } = await builtin("turn_start", "command: add_dat");
    expect(problems).toMatchObject([{ code: "HOOK_CONFIG_HANDLER", hint: 'did you mean "add_date"?' }]);
  });

  test.each([
    ["turn_start", "command: add_user_info", "does nothing at TurnStart"],
    ["before_llm_call", "command: max_iterations", "takes 1 args"],
    ["turn_start", "command: add_prompt_files", "takes at least 1"],
  ])("at %s with %s is told of as idle", async (event, fields, message) => {
    const { problems } = await builtin(event, fields);
    expect(problems[0]).toMatchObject({ severity: "warning", message: expect.stringContaining(message) });
  });
});

describe("a hook of type model", () => {
  const model = (fields: string) => parse(`hooks: { pre_tool_use: { hooks: { type: model, ${fields} } } }`);

  test("has model and prompt, and may have a schema; it is refused by name", async () => {
    const { problems } = await model(
      "model: openai/gpt-4o-mini, prompt: x, timeout: 15, schema: pre_tool_use_decision",
    );
    expect(problems).toMatchObject([{ code: "HOOK_CONFIG_UNSUPPORTED", message: expect.stringContaining('"model"') }]);
    expect(problems).toHaveLength(1);
  });

  test.each([
    ["prompt: x", "model"],
    ["model: openai/gpt-4o-mini", "prompt"],
    ["model: gpt, prompt: x", "provider/model"],
    ["model: a/b, prompt: x, schema: pre_tool_use_decison", "schema"],
  ])("with %s is not sound", async (fields, word) => {
    const { rules, problems } = await model(fields);
    expect(rules).toMatchObject([{ event: "PreToolUse", handler: { type: "broken" } }]);
    expect(problems[0]).toMatchObject({ severity: "error", message: expect.stringContaining(word) });
  });
});
