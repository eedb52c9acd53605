import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load.ts";
import { claudeCodeCodec } from "../../../src/dialects/claude-code/codec.ts";
import type { Rule } from "../../../src/rule.ts";
import { commandsIn, folderWith } from "../../config/config-files.ts";

/** `hooks` in a plugin's `.claude-plugin/plugin.json`: inline hooks, or paths of files. */

const groups = (command: string) => [{ hooks: [{ type: "command", command }] }];

async function load(hooks: unknown, more: object = {}) {
  const name = ".claude-plugin/plugin.json";
  const folder = folderWith({});
  mkdirSync(join(folder, ".claude-plugin"));
  writeFileSync(join(folder, name), JSON.stringify({ name: "tidy", version: "1.0.0", ...more, hooks }));
  return { folder, ...(await loadConfig([{ file: join(folder, name), layer: "user" }], [], folder)) };
}

test.each([
  ["events", { PreToolUse: groups("./a.sh"), Stop: groups("./b.sh") }],
  ["what a hooks.json has", { description: "mine", hooks: { PreToolUse: groups("./a.sh"), Stop: groups("./b.sh") } }],
  ["a list of them", [{ PreToolUse: groups("./a.sh") }, { hooks: { Stop: groups("./b.sh") } }]],
])("a manifest may have inline hooks: %s", async (_, hooks) => {
  const { rules, problems } = await load(hooks, { disableAllHooks: true });
  expect(problems).toEqual([]);
  expect(commandsIn(rules)).toEqual(["./a.sh", "./b.sh"]);
  expect(rules[0]).toMatchObject({ dialect: "claude-code", event: "PreToolUse" });
});

test("hooks of a manifest know the folder of their plugin", async () => {
  const { folder, rules } = await load({ PreToolUse: groups("./a.sh") });
  const event = { name: "PreToolUse", dialect: "claude-code", payload: { tool_name: "Bash" } };
  expect(claudeCodeCodec.environment(event, rules[0] as Rule)).toMatchObject({ CLAUDE_PLUGIN_ROOT: folder });
});

test.each([
  ["a path", "./hooks/hooks.json", "/hooks"],
  ["one path of several", [{ PreToolUse: groups("./a.sh") }, "./more.json"], "/hooks/1"],
])("%s is reported, and the gates deny until that file is read directly", async (_, hooks, pointer) => {
  const { rules, problems } = await load(hooks);
  expect(problems).toMatchObject([
    {
      severity: "error",
      message: expect.stringContaining("another file"),
      hint: expect.stringContaining("pass that file"),
    },
  ]);
  expect(problems[0]?.place?.pointer).toBe(pointer);
  expect(rules.filter(({ handler }) => handler.type === "broken")).toMatchObject([{ event: "*" }]);
});

test.each([[true], [[5]], [[["./a.json"]]]])(
  "malformed hooks of a manifest leave the gates shut: %j",
  async (hooks) => {
    const { rules, problems } = await load(hooks);
    expect(problems).toMatchObject([{ severity: "error" }]);
    expect(rules).toMatchObject([{ event: "*", handler: { type: "broken" } }]);
  },
);

test("a manifest without hooks has none, and is not a file of ours", async () => {
  expect(await load(undefined)).toMatchObject({ rules: [], problems: [] });
});

test("a plugin's hooks.json has no such lists", async () => {
  const folder = folderWith({ "hooks.json": JSON.stringify({ hooks: [] }) });
  const { rules } = await loadConfig([{ file: join(folder, "hooks.json"), layer: "user" }], [], folder);
  expect(rules).toMatchObject([{ event: "*", handler: { type: "broken" } }]);
});
