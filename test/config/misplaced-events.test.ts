import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { brokenIn, folderWith, lineAndColumn, whereIs } from "./config-files.ts";

const GROUPS = [{ matcher: "Bash", hooks: [{ type: "command", command: "exit 2" }] }];

describe("an event outside of hooks", () => {
  test.each([
    ["claude-code", "PreToolUse", "PreToolUse"],
    ["claude-code", "preToolUse", "PreToolUse"],
    ["claude-code", "pre_tool_use", "PreToolUse"],
    ["claude-code", "PermissionRequest", "PermissionRequest"],
    ["claude-code", "Stop", "Stop"],
    ["autohand", "pre-tool", "PreToolUse"],
    ["patterns", "PreToolUse", "PreToolUse"],
  ])("of a %s file, %s, is an error and a broken rule at its event", async (dialect, key, event) => {
    const text = JSON.stringify({ [key]: GROUPS, other: {} }, null, 2);
    const folder = folderWith({ "rules.json": text });
    const { rules, problems } = await loadConfig([{ file: "rules.json", layer: "user", dialect }], [], folder);
    const [problem] = problems.filter(({ severity }) => severity === "error");
    expect(problem).toMatchObject({ code: "HOOK_CONFIG_UNKNOWN_KEY" });
    expect(`${problem?.message} ${problem?.hint}`).toMatch(/"hooks(_config)?"/);
    expect(problem?.place && lineAndColumn(problem.place)).toEqual(whereIs(`"${key}"`, text));
    expect(brokenIn(rules)).toMatchObject([{ event }]);
  });

  test.each([
    ["hookbox.json", "hookbox", "PreToolUse"],
    ["hookbox.json", "hookbox", "pre_tool_use"],
    ["settings.json", "claude-code", "preToolUse"],
  ])("of %s gets a hint with its correct place (%s, %s)", async (file, dialect, key) => {
    const hintFor = async (value: object): Promise<string | undefined> => {
      const folder = folderWith({ [file]: JSON.stringify(value, null, 1) });
      const { problems } = await loadConfig([{ file, layer: "user", dialect }], [], folder);
      expect(problems).toMatchObject([{ severity: "error" }]);
      return problems[0]?.hint;
    };
    expect(await hintFor({ [key]: GROUPS })).toBe(
      'write { "hooks": { "PreToolUse": [ … ] } }: its hooks do not run where they are',
    );
    const stop = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
    expect(await hintFor({ hooks: stop, [key]: GROUPS })).toBe(
      'move it into the object of "hooks" (line 2), as "PreToolUse", next to "Stop": its hooks do not run where they are',
    );
    expect(await hintFor({ hooks: {}, [key]: GROUPS })).toBe(
      'move it into the object of "hooks" (line 2), as "PreToolUse": its hooks do not run where they are',
    );
  });

  test("of hookbox's own format is broken at every event", async () => {
    const folder = folderWith({ "hookbox.json": JSON.stringify({ PreToolUse: GROUPS, hooks: {} }) });
    const { rules } = await loadConfig([{ file: "hookbox.json", layer: "user" }], [], folder);
    expect(brokenIn(rules)).toMatchObject([{ event: "*" }]);
  });

  test("that docker-agent's parser reports itself is reported once", async () => {
    const text = `agents:\n  root:\n    model: m\npre_tool_use:\n  - hooks: [{type: command, command: a}]\n`;
    const folder = folderWith({ "agent.yaml": text });
    const { rules, problems } = await loadConfig(
      [{ file: "agent.yaml", layer: "user", dialect: "docker-agent" }],
      [],
      folder,
    );
    expect(problems.filter(({ severity }) => severity === "error")).toHaveLength(1);
    expect(brokenIn(rules)).toHaveLength(1);
  });

  test("is not a switch with an event's name", async () => {
    const folder = folderWith({ "settings.json": JSON.stringify({ Notification: true, hooks: {} }) });
    const { problems } = await loadConfig([{ file: "settings.json", layer: "user" }], [], folder);
    expect(problems).toEqual([]);
  });
});
