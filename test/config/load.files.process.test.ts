import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdirSync, openSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { brokenIn, commandsIn, folderWith, guardedBy, whereIs } from "./config-files.ts";

const GUARD = JSON.stringify(guardedBy("./guard.sh"));

describe("the name of a file gives its format:", () => {
  test.each([
    ["hookbox.json", "hookbox"],
    ["rules.json", "hookbox"],
    ["my-settings.json", "hookbox"],
    ["settings.json", "claude-code"],
    ["settings.local.json", "claude-code"],
    ["managed-settings.json", "claude-code"],
    ["hooks.json", "claude-code"],
  ])("%s is %s", async (file, dialect) => {
    const { rules, problems } = await loadConfig([{ file }], [], folderWith({ [file]: GUARD }));
    expect(problems).toEqual([]);
    expect(rules.map((rule) => rule.dialect)).toEqual([dialect]);
    expect(rules.map((rule) => rule.codec.dialect)).toEqual([dialect]);
  });

  test("hookbox.yaml and hookbox.jsonc are hookbox too", async () => {
    const folder = folderWith({
      "hookbox.yaml": "hooks: {Stop: [{hooks: [{type: command, command: a}]}]}",
      "hookbox.jsonc": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "b",}]}]}} // fine',
    });
    const { rules, problems } = await loadConfig([{ file: "hookbox.yaml" }, { file: "hookbox.jsonc" }], [], folder);
    expect(problems).toEqual([]);
    expect(commandsIn(rules)).toEqual(["a", "b"]);
  });

  test("unless the caller gives the format", async () => {
    const folder = folderWith({ "settings.json": GUARD, "mine.json": GUARD });
    const files = [
      { file: "settings.json", dialect: "hookbox" },
      { file: "mine.json", dialect: "claude-code" },
    ];
    const { rules } = await loadConfig(files, [], folder);
    expect(rules.map((rule) => rule.dialect)).toEqual(["hookbox", "claude-code"]);
  });
});

describe("a file that cannot be read", () => {
  const standsEverywhere = (code: string) => [{ event: "*", matcher: undefined, code, type: "unknown" }];

  test("because it does not exist leaves a broken rule at every event", async () => {
    const { rules, problems } = await loadConfig([{ file: "hookbox.json" }], [], folderWith());
    expect(problems).toEqual([
      {
        severity: "error",
        code: "HOOK_CONFIG_NOT_FOUND",
        message: expect.stringContaining("does not exist"),
        place: { file: "hookbox.json" },
      },
    ]);
    expect(brokenIn(rules)).toEqual(standsEverywhere("HOOK_CONFIG_NOT_FOUND"));
    expect(rules[0]).toMatchObject({ name: "configuration", may: ["deny"], mode: "enforce", layer: "project" });
  });

  test.each([
    ["is a folder", (folder: string) => mkdirSync(join(folder, "hookbox.json"))],
    ["is a link to itself", (folder: string) => symlinkSync("hookbox.json", join(folder, "hookbox.json"))],
  ])("because it %s leaves a broken rule at every event", async (_, make) => {
    const folder = folderWith();
    make(folder);
    const { rules, problems } = await loadConfig([{ file: "hookbox.json" }], [], folder);
    expect(problems).toMatchObject([
      { severity: "error", code: "HOOK_CONFIG_UNREADABLE", place: { file: "hookbox.json" } },
    ]);
    expect(brokenIn(rules)).toEqual(standsEverywhere("HOOK_CONFIG_UNREADABLE"));
  });

  test("because it is not UTF-8 leaves a broken rule at every event", async () => {
    const folder = folderWith({ "hookbox.json": Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) });
    const { rules, problems } = await loadConfig([{ file: "hookbox.json" }], [], folder);
    expect(problems).toMatchObject([{ code: "HOOK_CONFIG_UNREADABLE", message: expect.stringMatching(/utf-8/i) }]);
    expect(brokenIn(rules)).toEqual(standsEverywhere("HOOK_CONFIG_UNREADABLE"));
  });

  test("because it is not well-formed leaves a broken rule at every event, in its own dialect", async () => {
    const folder = folderWith({ "settings.json": '{"hooks": {}' });
    const { rules, problems } = await loadConfig([{ file: "settings.json", layer: "user" }], [], folder);
    expect(problems).toMatchObject([{ code: "HOOK_CONFIG_SYNTAX", place: { file: "settings.json", line: 1 } }]);
    expect(brokenIn(rules)).toEqual(standsEverywhere("HOOK_CONFIG_SYNTAX"));
    expect(rules[0]).toMatchObject({ dialect: "claude-code", layer: "user" });
  });

  test("because it is not a file blocks no caller", async () => {
    const folder = folderWith();
    const pipe = join(folder, "hookbox.json");
    execFileSync("mkfifo", [pipe]);
    try {
      const loaded = await Promise.race([loadConfig([{ file: pipe }], [], folder), sleep(1_000, "still waiting")]);
      expect(loaded).not.toBe("still waiting");
      expect(loaded).toMatchObject({ problems: [{ code: "HOOK_CONFIG_UNREADABLE" }] });
    } finally {
      // Releases a reader that may wait for a writer.
      closeSync(openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK));
    }
  });

  test("does not affect the other files", async () => {
    const folder = folderWith({ "a.json": GUARD, "b.json": "{", "c.json": JSON.stringify(guardedBy("c")) });
    const files = ["a.json", "b.json", "missing.json", "c.json"].map((file) => ({ file }));
    const { rules, problems } = await loadConfig(files, [], folder);
    expect(commandsIn(rules)).toEqual(["./guard.sh", "c"]);
    expect(brokenIn(rules).map(({ event, code }) => [event, code])).toEqual([
      ["*", "HOOK_CONFIG_SYNTAX"],
      ["*", "HOOK_CONFIG_NOT_FOUND"],
    ]);
    expect(problems.map(({ place }) => place?.file)).toEqual(["b.json", "missing.json"]);
  });
});

describe("settings that cannot be used", () => {
  test.each([
    ["hookbox.json", "[]", "HOOK_CONFIG_TYPE"],
    ["hookbox.json", "null", "HOOK_CONFIG_TYPE"],
    ["hookbox.yaml", "# nothing\n", "HOOK_CONFIG_TYPE"],
    ["hookbox.json", '{"hoks": {}}', "HOOK_CONFIG_UNKNOWN_KEY"],
    ["hookbox.json", '{"version": 2}', "HOOK_CONFIG_TYPE"],
    ["hookbox.json", '{"defaults": {"wasm": {"timeoutMs": 0}}}', "HOOK_CONFIG_TYPE"],
    ["settings.json", "[]", "HOOK_CONFIG_TYPE"],
    ["settings.json", '{"disableAllHooks": "yes"}', "HOOK_CONFIG_TYPE"],
  ])("in %s (%s) leave a broken rule at every event", async (file, text, code) => {
    const { rules, problems } = await loadConfig([{ file }], [], folderWith({ [file]: text }));
    expect(problems).toMatchObject([{ severity: "error", code, place: { file, line: 1 } }]);
    expect(brokenIn(rules)).toEqual([{ event: "*", matcher: undefined, code, type: "unknown" }]);
  });

  test("are reported with their place and a suggestion, and the rules still load", async () => {
    const text = JSON.stringify({ ...guardedBy("a"), defaults: { wasm: { timoutMs: 5 } } }, null, 2);
    const { rules, problems } = await loadConfig([{ file: "hookbox.json" }], [], folderWith({ "hookbox.json": text }));
    expect(problems).toEqual([
      {
        severity: "error",
        code: "HOOK_CONFIG_UNKNOWN_KEY",
        message: 'unknown key "timoutMs"',
        hint: 'did you mean "timeoutMs"?',
        place: { file: "hookbox.json", pointer: "/defaults/wasm/timoutMs", ...whereIs('"timoutMs"', text) },
      },
    ]);
    expect(commandsIn(rules)).toEqual(["a"]);
    expect(brokenIn(rules)).toHaveLength(1);
  });

  test("of Claude Code's other features are ignored", async () => {
    const text = JSON.stringify({ model: "opus", permissions: { deny: ["Bash(rm *)"] }, env: { A: "1" } });
    const folder = folderWith({ "settings.json": text });
    expect(await loadConfig([{ file: "settings.json" }], [], folder)).toEqual({ rules: [], problems: [] });
  });
});

describe("misuse of the loader", () => {
  test.each([
    [{ file: "a.json", layer: "root" as never }, /unknown layer "root"/],
    [{ file: "a.json", dialect: "cloud-code" }, /unknown dialect "cloud-code"/],
    [{ file: "a.json", dialect: "__proto__" }, /unknown dialect "__proto__"/],
  ])("throws: %j", async (file, message) => {
    const loading = loadConfig([file], [], folderWith({ "a.json": GUARD }));
    await expect(loading).rejects.toMatchObject({ code: "HOOK_API_MISUSE", message: expect.stringMatching(message) });
  });
});
