import { describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load.ts";
import { BUILTIN_NAMES, misplaced } from "../../../src/dialects/docker-agent/builtins.ts";
import {
  AGENT_SHORTHANDS,
  ALWAYS_ON,
  SETTINGS_SHORTHANDS,
  TOOLSET_SHORTHANDS,
} from "../../../src/dialects/docker-agent/shorthands.ts";
import { canonicalEvent } from "../../../src/dialects/docker-agent/spelling.ts";
import { folderWith, writtenIn } from "../../config/config-files.ts";
import { parse } from "./docker-hooks.ts";

/** Returns event and function of each hook that the text stands for. */
const wanted = async (text: string) => {
  const { rules, problems } = await parse(text);
  expect(problems).toEqual([]);
  expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  return writtenIn(rules).map(({ event, handler }) => [event, handler.type === "builtin" && handler.name]);
};
const agent = (fields: string) => `agents: { root: { model: a/b, ${fields} } }`;

describe("a setting that stands for built-in hooks", () => {
  test.each<readonly [string, readonly (readonly [string, string])[]]>([
    ["add_date: true", [["TurnStart", "add_date"]]],
    ["add_environment_info: true", [["SessionStart", "add_environment_info"]]],
    ["add_prompt_files: [GUIDE.md]", [["TurnStart", "add_prompt_files"]]],
    ["add_prompt_files: []", []],
    ["add_date: false, redact_secrets: false, add_prompt_files:", []],
    ["toolsets: [{ type: shell, safer: false }]", []],
  ])("%s", async (fields, hooks) => {
    expect(await wanted(agent(fields))).toEqual(hooks);
  });

  test("of the user's takes snapshots of sessions and turns, and not of each tool call", async () => {
    const events = (await wanted("settings: { snapshot: true }")).map(([event]) => event);
    expect(events).toEqual(["SessionStart", "TurnStart", "TurnEnd", "SessionEnd"]);
    expect(await wanted("settings: { snapshot: false, theme: dark }")).toEqual([]);
  });

  test("names its files in their order", async () => {
    const { rules } = await parse(agent("add_prompt_files: [B.md, A.md]"));
    expect(rules[0]?.handler).toEqual({
      type: "builtin",
      name: "add_prompt_files",
      args: ["B.md", "A.md"],
      network: "public",
    });
  });

  test.each([
    ["add_prompt_files_depth: 2", ["--depth=2", "A.md"], []],
    ["add_prompt_files_depth: 0", ["A.md"], []],
    ["add_prompt_files_depth:", ["A.md"], []],
    ["add_prompt_files_depth: -1", ["A.md"], [/^add_prompt_files_depth must be a whole number/]],
    ["add_prompt_files_depth: deep", ["A.md"], [/^add_prompt_files_depth must be a whole number/]],
    ["add_prompt_files_depth: 1.5", ["A.md"], [/^add_prompt_files_depth must be a whole number/]],
  ])("searches to the given depth, and no deeper for an invalid depth: %s", async (field, args, messages) => {
    const { rules, problems } = await parse(agent(`add_prompt_files: [A.md], ${field}`));
    expect(rules[0]?.handler).toMatchObject({ name: "add_prompt_files", args });
    expect(problems).toMatchObject(
      messages.map((message) => ({
        severity: "warning",
        code: "HOOK_CONFIG_INERT",
        message: expect.stringMatching(message),
        place: { pointer: "/agents/root/add_prompt_files_depth" },
      })),
    );
  });

  test("searches nothing if no file is named", async () => {
    const { rules, problems } = await parse(agent("add_prompt_files_depth: 2"));
    expect(writtenIn(rules)).toEqual([]);
    expect(problems).toMatchObject([{ severity: "warning", message: expect.stringContaining("add_prompt_files") }]);
  });

  test("has the place of the setting", async () => {
    const { rules } = await parse("agents:\n  root:\n    add_date: true\nsettings:\n  snapshot: true\n");
    const lines = writtenIn(rules).map(({ name, place }) => [name, place?.line]);
    expect(lines).toEqual([["add_date", 3], ...Array.from({ length: 4 }, () => ["snapshot", 5])]);
  });

  test("comes after the explicit hooks, and is the same as an equal explicit hook", async () => {
    const hooks = "hooks: { turn_start: [{ type: command, command: mine }, { type: builtin, command: add_date }] }";
    const rules = writtenIn((await parse(agent(`${hooks}, add_date: true`))).rules);
    expect(rules.map(({ name }) => name)).toEqual(["agent.yaml turn_start #1", "add_date", "add_date"]);
    expect(new Set(rules.map(({ identity }) => identity)).size).toBe(2);
  });

  test.each<readonly [string, readonly string[], string, "safer" | "faithful"]>([
    [
      "redact_secrets: true",
      ["ToolInputTransform", "BeforeModelCall", "ToolResponseTransform"],
      "redact_secrets",
      "safer",
    ],
    ["redact_secrets: true", ["PreToolUse", "BeforeModelCall", "ToolResponseTransform"], "redact_secrets", "faithful"],
    ["toolsets: [{ type: think }, { type: shell, safer: true }]", ["PreToolUse"], "safer_shell", "safer"],
  ])("%s is a guard at %j, with the agent's name", async (fields, events, name, compat) => {
    const { rules, problems } = await parse(agent(fields), { compat });
    expect(problems).toEqual([]);
    const [module, config] =
      name === "safer_shell"
        ? ["builtin:shell-guard", { mode: "balanced" }]
        : ["builtin:secret-guard", { redact: true }];
    expect(writtenIn(rules)).toMatchObject(
      events.map((event) => ({ name, event, handler: { type: "wasm", module, config } })),
    );
  });

  test.each(["add_date: yes please", "redact_secrets: 1", "add_prompt_files: GUIDE.md", "add_prompt_files: [1]"])(
    "with an invalid value shuts every gate: %s",
    async (fields) => {
      const { rules, problems } = await parse(agent(fields));
      expect(writtenIn(rules)).toMatchObject([{ event: "*", handler: { type: "broken" } }]);
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
    expect(hooks.length).toBeGreaterThan(10);
    for (const { builtin, event, args = [] } of [...hooks, ...ALWAYS_ON]) {
      expect(BUILTIN_NAMES).toContain(builtin);
      expect(misplaced(builtin, canonicalEvent(event)!, args)).toBeUndefined();
    }
  });
});

describe("hooks that the agent adds to every file", () => {
  const added = (text: string) => parse(text).then(({ rules }) => rules.filter(({ implied }) => implied === true));

  test("cut long results and clean up, run where the agent runs them, and cause no problem", async () => {
    const text = "agents:\n  root:\n    model: a/b\n";
    expect(await parse(text)).toMatchObject({ problems: [] });
    expect(await added(text)).toMatchObject(
      ["ToolResponseTransform", "SessionEnd"].map((event) => ({
        event,
        name: "limit_large_tool_results",
        onFailure: "ignore",
        place: { line: 3, pointer: "/agents/root" },
      })),
    );
  });

  test("are not added if there is no agent", async () => {
    expect(await added("hooks: { stop: { type: command, command: a } }")).toEqual([]);
    expect(await added("settings: { snapshot: true }")).toEqual([]);
  });

  test("are added to each agent of several, for its own events", async () => {
    const agents = (await added("agents: { one: {}, two: {} }")).map(({ event, agent }) => [event, agent?.name]);
    expect(agents).toEqual(
      ["one", "two"].flatMap((name) => ["ToolResponseTransform", "SessionEnd"].map((event) => [event, name])),
    );
  });

  test("come once after every hook of every file, and do not replace an explicit one", async () => {
    const hook = (command: string) =>
      `hooks: { tool_response_transform: { hooks: { type: command, command: ${command} } } }`;
    const folder = folderWith({
      "one.yaml": agent(hook("one")),
      "two.yaml": agent(hook("two")),
      "late.yaml": hook("late"),
    });
    const files = ["one.yaml", "two.yaml", "late.yaml"].map((file) => ({
      file,
      layer: "project" as const,
      dialect: "docker-agent",
    }));
    const { rules, problems } = await loadConfig(files, [], folder);
    expect(problems).toEqual([]);
    const { RuleIndex } = await import("../../../src/matcher/rule-index.ts");
    const payload = { tool_name: "shell", tool_response: "x" };
    const event = { name: "ToolResponseTransform", dialect: "docker-agent", payload } as const;
    const asked = new RuleIndex(rules).select(event).map(({ name }) => name);
    const own = ["one", "two", "late"].map((name) => `${name}.yaml tool_response_transform #1`);
    expect(asked).toEqual([...own, "limit_large_tool_results"]);
  });
});
