import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { autohandCodec } from "../../../src/dialects/autohand/codec.ts";
import { createEngine } from "../../../src/index.ts";
import { ABSENT } from "../../helpers/folders.ts";
import { commandRule, openExecutor, type RuleParts, scratchFolder } from "./command-rule.ts";

type Command = Parameters<typeof commandRule>[0];

/** Creates a folder with a program, a text file and a folder. */
function folderOfRules(): string {
  const folder = scratchFolder();
  writeFileSync(join(folder, "runs.sh"), "#!/bin/sh\n");
  chmodSync(join(folder, "runs.sh"), 0o755);
  writeFileSync(join(folder, "plain.txt"), "no program\n");
  mkdirSync(join(folder, "with blank"));
  return folder;
}

const problemsOf = (command: Command, parts: RuleParts = {}) =>
  openExecutor().prepare(commandRule(command, { baseDir: folderOfRules(), ...parts }));

const place = { file: "hookbox.json", line: 3, column: 5, pointer: "/hooks/PreToolUse/0/hooks/0" };
const IMPORTED = { dialect: "claude-code" };

describe("a warning before the first event names a command that cannot be started", () => {
  test.each<[string, Command, string, RuleParts?]>([
    ["a path that is not there", { command: "./gone", args: [] }, "gone does not exist"],
    ["a path from the file's folder, of another agent's rule", { command: "./gone", args: [] }, "gone does", IMPORTED],
    ["a name that PATH does not have", { command: "no-such-program-here", args: ["x"] }, "was not found on PATH"],
    ["a file that is not executable", { command: "./plain.txt", args: [] }, "plain.txt is not executable (chmod +x)"],
    ["a folder", { command: "/usr", args: [] }, "/usr is not a file"],
    ["a shell text that begins with a missing path", "./gone --flag | cat", "gone does not exist"],
    ["the same in quotes", "'./with blank/gone' x", "with blank/gone does not exist"],
    ["a shell text that begins with what is no program", "\n ./plain.txt; true", "is not executable"],
    ["an absolute path, of another agent's rule", `${ABSENT}/hook.sh`, `${ABSENT}/hook.sh does not`, IMPORTED],
    ["a shell that is not there", { command: "true", shell: "bash", env: { PATH: ABSENT } }, '"bash" was not'],
    ["a working directory that is not there", { command: "true", workingDir: "gone" }, "gone is not a folder"],
    ["a path in another working directory", { command: "./runs.sh", workingDir: "with blank" }, "runs.sh does not"],
  ])("%s", async (_, command, message, parts = {}) => {
    expect(await problemsOf(command, { ...parts, place })).toEqual([
      {
        severity: "warning",
        code: "HOOK_COMMAND_NOT_FOUND",
        message: expect.stringContaining(message),
        hint: "until this is fixed, the rule fails each time it runs",
        place,
      },
    ]);
  });
});

describe("a command in the user's home", () => {
  const AUTOHAND = { dialect: "autohand", codec: autohandCodec };

  test.each([
    ["~/.autohand/hooks/sound-alert.sh", 'hookbox has this one itself: "command": "builtin:sound-alert"'],
    ["~/.autohand/hooks/mine.sh --loud", "until this is fixed, the rule fails each time it runs"],
  ])("is reported like any other if it is missing, with hookbox's own replacement: %s", async (command, hint) => {
    vi.stubEnv("HOME", scratchFolder());
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await problemsOf(command, AUTOHAND)).toMatchObject([{ code: "HOOK_COMMAND_NOT_FOUND", hint }]);
  });

  test("that exists, or that no shell would search there, is not reported", async () => {
    const home = scratchFolder();
    vi.stubEnv("HOME", home);
    onTestFinished(() => void vi.unstubAllEnvs());
    writeFileSync(join(home, "runs.sh"), "#!/bin/sh\n", { mode: 0o755 });
    for (const command of ["~/runs.sh", "'~/gone'", "~other/gone", "x~/gone"])
      expect(await problemsOf(command, AUTOHAND)).toEqual([]);
  });
});

describe("no warning is given for", () => {
  test.each<[string, Command, RuleParts?]>([
    ["what is there", { command: "./runs.sh", args: [] }],
    ["what is on PATH", { command: "true", args: [] }],
    ["a shell text whose program is there", "./runs.sh --flag"],
    ["a name that the shell looks up", "no-such-program-here"],
    ["a variable", '"$HOME"/gone/x'],
    ["a placeholder", { command: "${CLAUDE_PLUGIN_ROOT}/gone", args: [] }],
    ["a path after another command", "cd with\\ blank && ./gone"],
    ["an assignment", "A=/gone/x true"],
    ["a pattern", "./go* x"],
    ["an escaped word", "./with\\ blank/x"],
    ["a word that goes on after its quotes", "'./gone'x"],
    ["a relative path where the agent decides what it counts from", "./gone", IMPORTED],
    ["a working directory that an event decides", { command: "./gone", workingDir: "$CLAUDE_PROJECT_DIR" }],
  ])("%s", async (_, command, parts = {}) => {
    expect(await problemsOf(command, parts)).toEqual([]);
  });
});

describe("an engine", () => {
  const config = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: `${ABSENT}/hook` }] }] } };

  test("warns when it is created, and the rule still exists and fails by name", async () => {
    await using engine = await createEngine({ config, cacheDir: false, sandbox: { threads: 1 } });
    expect(engine.problems).toMatchObject([{ severity: "warning", code: "HOOK_COMMAND_NOT_FOUND" }]);
    const verdict = await engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: {} });
    expect(verdict).toMatchObject({ decision: "deny", rules: [{ failure: { kind: "spawn" } }] });
  });

  test("that prepares on demand does not check commands", async () => {
    await using engine = await createEngine({ config, cacheDir: false, prepare: "on-demand" });
    expect(engine.problems).toEqual([]);
  });
});
