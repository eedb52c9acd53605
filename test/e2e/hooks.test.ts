import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../src/cache/cache-folder.ts";
import { hookAt, switchHook } from "../../src/cli/hooks/changes.ts";
import { openHooksFile, saveHooksFile } from "../../src/cli/hooks/hooks-file.ts";
import { type CliResult, type Project, project } from "./cli.ts";
import { inProcess } from "./in-process.ts";

const AUTOHAND = `{
  "hooks": {
    "enabled": true,
    "hooks": [
      { "event": "pre-tool", "command": "./look.sh", "description": "Look at the call", "enabled": true },
      { "event": "stop", "command": "./over.sh", "enabled": false },
      { "event": "pre-tool", "command": "./count.sh", "matcher": "^run_", "enabled": true }
    ]
  }
}
`;

const CLAUDE = `{
  // mine
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          { "type": "command", "command": "true" }, // first
          { "type": "command", "command": "echo no >&2; exit 2" }
        ]
      },
      { "hooks": [ { "type": "command", "command": "exit 0", /* soon */ "timeout": 3 } ] }
    ],
    "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }]
  },
}
`;

const DOCKER = `# two of them
hooks:
  pre_tool_use:
    - matcher: shell # only this
      hooks:
        - {type: command, command: "true"}
        - type: command
          # in words
          command: echo '{"decision":"block","reason":"not today"}'
  stop:
    - type: command
      command: "true"
`;

const AGENTAO =
  '{"hooks": {"Stop": [{"type": "command", "command": "true"}, {"type": "command", "command": "exit 0"}]}}\n';

function hooksIn(place: Project): (line: string, stdin?: string) => Promise<CliResult> {
  return (line, stdin) =>
    inProcess(["hooks", ...line.split(" ")], { cwd: place.folder, ...(stdin === undefined ? {} : { stdin }) });
}

test("lists hooks by event, numbered, with their state", async () => {
  const place = project();
  place.write("config.json", AUTOHAND);
  const { exitCode, stdout } = await hooksIn(place)("config.json");
  expect(exitCode).toBe(0);
  expect(stdout).toBe(`Hooks
──────────────────────────────────────────────────
Mode: enabled
File: config.json (autohand)

pre-tool (2/2 enabled)
  1. [enabled] ./look.sh - Look at the call
  2. [enabled] ./count.sh (matcher: ^run_)

stop (0/1 enabled)
  1. [disabled] ./over.sh

──────────────────────────────────────────────────
Total: 3 hooks (2 enabled, 1 disabled)
`);
});

test("lists the same with --json", async () => {
  const place = project();
  place.write("config.json", AUTOHAND);
  const { stdout } = await hooksIn(place)("list config.json --json");
  expect(JSON.parse(stdout)).toMatchObject({
    file: "config.json",
    format: "autohand",
    enabled: true,
    events: [
      {
        event: "pre-tool",
        canonicalEvent: "PreToolUse",
        hooks: [
          { number: 1, pointer: "/hooks/hooks/0" },
          { number: 2, matcher: "^run_", pointer: "/hooks/hooks/2" },
        ],
      },
      { event: "stop", hooks: [{ number: 1, enabled: false }] },
    ],
    total: { hooks: 3, enabled: 2, disabled: 1 },
  });
});

describe("a hook is switched by the agent's own key if it has one", () => {
  test.each([
    ["config.json", AUTOHAND, "pre-tool 2", '"matcher": "^run_", "enabled": false'],
    ["config.json", AUTOHAND, "PreToolUse 2", '"matcher": "^run_", "enabled": false'],
    [
      "hookbox.json",
      '{"hooks":{"Stop":[{"hooks":[{"type":"context","text":"x"}]}]}}',
      "Stop 1",
      '"text":"x", "enabled": false',
    ],
  ])("%s", async (name, text, hook, written) => {
    const place = project();
    const file = place.write(name, text);
    expect((await hooksIn(place)(`disable ${name} ${hook}`)).stderr).toBe("");
    expect(readFileSync(file, "utf8")).toContain(written);
    expect(existsSync(`${file}.hooks-off.json`)).toBe(false);
    expect((await hooksIn(place)(`enable ${name} ${hook}`)).exitCode).toBe(0);
    expect(readFileSync(file, "utf8")).toContain(written.replace("false", "true"));
  });
});

describe("for an agent without such a key", () => {
  test.each([
    ["settings.json", CLAUDE, "PreToolUse 1"],
    ["settings.json", CLAUDE, "PreToolUse 2"],
    ["settings.json", CLAUDE, "PreToolUse 3"],
    ["settings.json", CLAUDE, "Stop 1"],
    ["agent.yaml", DOCKER, "pre_tool_use 1"],
    ["agent.yaml", DOCKER, "pre_tool_use 2"],
    ["agent.yaml", DOCKER, "stop 1"],
    ["agentao:hooks.json", AGENTAO, "Stop 1"],
    ["agentao:hooks.json", AGENTAO, "Stop 2"],
  ])("a hook of %s that is off is removed from the file, and is restored unchanged", async (called, text, hook) => {
    const place = project();
    const name = called.replace(/^agentao:/, "");
    const file = place.write(name, text);
    const hooks = hooksIn(place);
    const before = (await hooks(`list ${called}`)).stdout;
    const { stdout, stderr } = await hooks(`disable ${called} ${hook}`);
    expect({ stdout, stderr }).toEqual({ stdout: expect.stringContaining(`${name}.hooks-off.json`), stderr: "" });
    expect(readFileSync(file, "utf8").length).toBeLessThan(text.length);
    expect(readFileSync(file, "utf8")).not.toContain("enabled");
    const [event, number] = hook.split(" ");
    const shown = JSON.parse((await hooks(`list ${called} --json`)).stdout) as {
      events: { event: string; hooks: { number: number; enabled: boolean }[] }[];
    };
    const off = shown.events.flatMap((one) =>
      one.hooks.filter(({ enabled }) => !enabled).map((hook) => [one.event, hook.number]),
    );
    expect(off).toEqual([[event, Number(number)]]);
    await hooks(`enable ${called} ${hook}`);
    expect((await hooks(`list ${called}`)).stdout).toBe(before);
    expect(existsSync(`${file}.hooks-off.json`)).toBe(false);
    // A comment between two other hooks may be on the other side of the comma.
    if (name !== "settings.json") expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("hooks are restored in their order, whichever is enabled first", async () => {
    const place = project();
    const file = place.write("settings.json", CLAUDE);
    const hooks = hooksIn(place);
    const before = (await hooks("list settings.json")).stdout;
    for (const number of [2, 1, 3]) await hooks(`disable settings.json PreToolUse ${number}`);
    expect((await hooks("list settings.json")).stdout).toContain("PreToolUse (0/3 enabled)");
    for (const number of [3, 1, 2]) await hooks(`enable settings.json PreToolUse ${number}`);
    expect((await hooks("list settings.json")).stdout).toBe(before);
    const { PreToolUse } = (
      JSON.parse(readFileSync(file, "utf8").replace(/\/\/.*|\/\*.*?\*\/|,(?=\s*}\s*$)/gm, "")) as {
        hooks: { PreToolUse: { matcher?: string; hooks: object[] }[] };
      }
    ).hooks;
    expect(PreToolUse.map(({ matcher, hooks }) => [matcher, hooks.length])).toEqual([
      ["Bash", 2],
      [undefined, 1],
    ]);
    expect(readFileSync(file, "utf8")).toContain('"exit 0", /* soon */ "timeout": 3');
  });

  test("a hook that is off can be tried and removed", async () => {
    const place = project();
    const file = place.write("settings.json", CLAUDE);
    const hooks = hooksIn(place);
    await hooks("disable settings.json PreToolUse 2");
    expect((await hooks("try settings.json PreToolUse 2")).stdout).toMatch(/verdict +deny/);
    await hooks("remove settings.json PreToolUse 2");
    expect((await hooks("list settings.json")).stdout).toContain("Total: 3 hooks (3 enabled, 0 disabled)");
    expect(existsSync(`${file}.hooks-off.json`)).toBe(false);
  });

  test("removing another hook renumbers the hooks that are off", async () => {
    const place = project();
    place.write("settings.json", CLAUDE);
    const hooks = hooksIn(place);
    await hooks("disable settings.json PreToolUse 2");
    await hooks("remove settings.json PreToolUse 1");
    expect((await hooks("list settings.json")).stdout).toContain(
      "1. [disabled] echo no >&2; exit 2 (matcher: Bash)\n  2.",
    );
  });
});

describe("all hooks", () => {
  test.each([
    ["config.json", AUTOHAND, '"enabled": false,\n    "hooks"', false],
    ["settings.json", CLAUDE, '"disableAllHooks": true', false],
    ["hookbox.json", '{"hooks":{}}', '"disableAllHooks": true', false],
    ["agent.yaml", DOCKER, "pre_tool_use: []", true],
    ["agentao:hooks.json", AGENTAO, '{"hooks": {"Stop": []}}', true],
  ])("are switched off and on again in %s", async (called, text, written, waits) => {
    const place = project();
    const file = place.write(called.replace(/^agentao:/, ""), text);
    const hooks = hooksIn(place);
    const before = (await hooks(`list ${called}`)).stdout;
    expect((await hooks(`off ${called}`)).stdout).toMatch(/^Hooks are off: /);
    expect(readFileSync(file, "utf8")).toContain(written);
    expect(existsSync(`${file}.hooks-off.json`)).toBe(waits);
    expect((await hooks(`list ${called}`)).stdout).toContain("Mode: disabled");
    expect((await hooks(`on ${called}`)).stdout).toMatch(/^Hooks are on: /);
    expect((await hooks(`list ${called}`)).stdout).toBe(before);
    if (waits) expect(readFileSync(file, "utf8")).toBe(text);
    expect((await hooks(`on ${called}`)).stdout).toBe("Hooks are on already\n");
  });

  test("a hook that was switched off alone stays off", async () => {
    const place = project();
    place.write("hooks.json", AGENTAO);
    const hooks = hooksIn(place);
    await hooks("disable agentao:hooks.json Stop 1");
    await hooks("off agentao:hooks.json");
    await hooks("on agentao:hooks.json");
    expect((await hooks("list agentao:hooks.json")).stdout).toContain("1. [disabled] true\n  2. [enabled] exit 0");
  });
});

describe("adding", () => {
  test("creates a missing file, in which the hook works", async () => {
    const place = project();
    const hooks = hooksIn(place);
    const added = await inProcess(
      ["hooks", "add", "hookbox.json", "PreToolUse", "--command", "cat", "--matcher", "Bash"],
      {
        cwd: place.folder,
      },
    );
    expect(added).toMatchObject({ exitCode: 0, stdout: "Added PreToolUse 1: cat\n" });
    expect((await hooks("try hookbox.json PreToolUse 1")).stdout).toContain('"tool_name":"Bash"');
  });

  test("a guard is refused if its module does not exist, and the file is not changed", async () => {
    const place = project();
    const file = place.write("hookbox.json", "{}");
    const { exitCode, stderr } = await hooksIn(place)("add hookbox.json PreToolUse --type wasm --module ./none.wasm");
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("nothing was changed") });
    expect(readFileSync(file, "utf8")).toBe("{}");
  });

  test("installs a shipped guard in a place where it can be tried", async () => {
    const place = project();
    const hooks = hooksIn(place);
    await hooks("add hookbox.json PreToolUse --type wasm --module builtin:shell-guard");
    const event = JSON.stringify({
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "rm -rf /" },
    });
    expect((await hooks("try hookbox.json PreToolUse 1 --payload -", event)).stdout).toMatch(/verdict +deny/);
  });

  test.each([
    ["add settings.json PreTolUse --command true", 'did you mean "PreToolUse"?'],
    ["add settings.json PreToolUse", "needs --command"],
    ["add settings.json PreToolUse --command true --module x", "nothing else to run"],
    ["add settings.json PreToolUse --command true --timeout soon", "number of seconds"],
    ["add settings.json PreToolUse --command true --matcher (", "nothing was changed"],
    ["add settings.json PreToolUse --command true --description x", "no description"],
    ["disable settings.json PreToolUse 9", "its hooks at this event are 1 to 3"],
    ["disable settings.json PreToolUse two", 'not "two"'],
    ["disable settings.json Notification 1", "it has no hooks at this event"],
    ["list none.json", "does not exist"],
    ["list settings.json --format openclaw", "plugins register in code"],
    ["list settings.json --format other", "unknown format"],
    ["list settings.json --matcher x", "takes no --matcher"],
    ["enabel settings.json Stop 1", 'did you mean "enable"?'],
    ["settings.json -i", "needs a terminal"],
  ])("refuses %s and changes nothing", async (line, why) => {
    const place = project();
    const file = place.write("settings.json", CLAUDE);
    const { exitCode, stderr } = await hooksIn(place)(line);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(why) });
    expect(readFileSync(file, "utf8")).toBe(CLAUDE);
    expect(existsSync(`${file}.hooks-off.json`)).toBe(false);
  });
});

describe("trying", () => {
  test("runs only that hook, and reports its answer", async () => {
    const place = project();
    place.write("agent.yaml", `${DOCKER}  session_start:\n    - {type: command, command: touch RAN}\n`);
    const { exitCode, stdout } = await hooksIn(place)("try agent.yaml pre_tool_use 2 --json");
    expect(exitCode).toBe(0);
    const trial = JSON.parse(stdout) as { payload: string };
    expect(trial).toMatchObject({
      event: "pre_tool_use",
      isSample: true,
      exitCode: 0,
      output: expect.stringContaining("not today"),
      failure: null,
      milliseconds: expect.any(Number),
      verdict: { decision: "deny", rules: [{}] },
    });
    expect(JSON.parse(trial.payload)).toMatchObject({ hook_event_name: "pre_tool_use", tool_name: "shell" });
    expect(existsSync(join(place.folder, "RAN"))).toBe(false);
  });

  const autohandHook = (hook: object) => JSON.stringify({ hooks: { hooks: [{ command: "cat", ...hook }] } });
  const claudeHook = (event: string, hook: object, matcher?: string) =>
    JSON.stringify({ hooks: { [event]: [{ matcher, hooks: [{ type: "command", command: "cat", ...hook }] }] } });
  const dockerHook = (event: string, matcher: string) =>
    `hooks:\n  ${event}:\n    - matcher: "${matcher}"\n      hooks: [{type: command, command: cat}]\n`;

  test.each<readonly [file: string, text: string, event: string, given: object]>([
    [
      "config.json",
      autohandHook({ event: "pre-tool", matcher: "^delete_path$" }),
      "pre-tool",
      { tool_name: "delete_path", tool_input: { path: "src/example.ts" } },
    ],
    [
      "config.json",
      autohandHook({ event: "file-modified", filter: { path: ["docs/**/*.md"] } }),
      "file-modified",
      { file_path: "docs/example.md", change_type: "modify" },
    ],
    [
      "config.json",
      autohandHook({ event: "pre-tool", filter: { tool: ["write_file"], path: ["lib/**/*.{js,mjs}"] } }),
      "pre-tool",
      { tool_name: "write_file", tool_input: { path: "lib/example.js", content: expect.any(String) } },
    ],
    [
      "config.json",
      autohandHook({ event: "session-end", matcher: "^(clear|exit)$" }),
      "session-end",
      { session_end_reason: "clear", duration: 60_000, tokens_used: null },
    ],
    [
      "settings.json",
      claudeHook("PreToolUse", { if: "Write(src/**/*.ts)" }, "Write"),
      "PreToolUse",
      { tool_name: "Write", tool_input: { file_path: expect.stringMatching(/\/src\/example\.ts$/) } },
    ],
    [
      "settings.json",
      claudeHook("PreToolUse", { if: "Bash(git push *)" }),
      "PreToolUse",
      { tool_name: "Bash", tool_input: { command: "git push" } },
    ],
    [
      "settings.json",
      claudeHook("PreToolUse", { if: "WebFetch(domain:*.example.org)" }),
      "PreToolUse",
      { tool_name: "WebFetch", tool_input: { url: "https://example.example.org" } },
    ],
    [
      "settings.json",
      claudeHook("PreToolUse", {}, "mcp__memory__.*"),
      "PreToolUse",
      { tool_name: "mcp__memory__example", tool_input: {} },
    ],
    ["agent.yaml", dockerHook("pre_tool_use", "mcp:.*"), "pre_tool_use", { tool_name: "mcp:example" }],
    ["agent.yaml", dockerHook("post_tool_use", "edit_file"), "post_tool_use", { tool_input: { edits: [{}] } }],
    ["hookbox.json", claudeHook("TurnStart", { command: "true" }), "TurnStart", { hook_event_name: "TurnStart" }],
    [
      "hookbox.json",
      claudeHook("MessageSending", { command: "true" }),
      "MessageSending",
      { tool_response: expect.any(String) },
    ],
    [
      "hookbox.json",
      claudeHook("Stop", { speaks: "autohand" }),
      "Stop",
      { hook_event_name: "stop", tokens_used: 1_200, session_type: null },
    ],
    [
      "agentao:hooks.json",
      JSON.stringify({ hooks: { PreCompact: [{ type: "command", command: "cat", matcher: { trigger: "manual" } }] } }),
      "PreCompact",
      { trigger: "manual", compaction_type: "full" },
    ],
  ])("gives a hook of %s a matching event: %s", async (name, text, event, given) => {
    const place = project();
    place.write(name.replace(/^agentao:/, ""), text);
    const { exitCode, stdout } = await hooksIn(place)(`try ${name} ${event} 1 --json`);
    const { payload } = JSON.parse(stdout) as { payload: string };
    expect(JSON.parse(payload)).toMatchObject(given);
    expect(exitCode).toBe(0);
  });

  test.each([
    ["config.json", autohandHook({ event: "stop" }), "stop"],
    ["agent.yaml", dockerHook("pre_tool_use", "shell"), "pre_tool_use"],
    ["hookbox.json", claudeHook("TurnStart", { command: "true" }), "TurnStart"],
  ])("gives a hook of %s no field that only another agent sends", async (name, text, event) => {
    const place = project();
    place.write(name, text);
    const { stdout } = await hooksIn(place)(`try ${name} ${event} 1 --json`);
    const { payload } = JSON.parse(stdout) as { payload: string };
    expect(payload).not.toMatch(/transcript_path|permission_mode|description/);
  });

  test("fails with exit code 1 if the hook does", async () => {
    const place = project();
    place.write("settings.json", '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"exit 7"}]}]}}');
    const { exitCode, stdout } = await hooksIn(place)("try settings.json Stop 1");
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: expect.stringMatching(/exit code 7[\s\S]*failure/) });
  });

  test("says why a hook does not apply to the given event", async () => {
    const place = project();
    place.write("settings.json", CLAUDE);
    const event = place.write("event.json", '{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{}}');
    const { exitCode, stderr } = await hooksIn(place)(`try settings.json PreToolUse 1 --payload ${event}`);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('does not match "Bash"') });
  });
});

test("AH-21: a hook of Autohand's is added switched on, and removed and switched by event and number", async () => {
  const place = project();
  const file = place.write("config.json", AUTOHAND);
  const hooks = hooksIn(place);
  type Stored = { event: string; command: string; enabled: boolean };
  const stored = () =>
    (JSON.parse(readFileSync(file, "utf8")) as { hooks: { hooks: Stored[] } }).hooks.hooks.map(
      ({ event, command, enabled }) => [event, command, enabled],
    );
  const look = ["pre-tool", "./look.sh", true];
  const over = ["stop", "./over.sh", false];
  const count = ["pre-tool", "./count.sh", true];

  expect((await hooks("add config.json pre-tool --command ./new.sh")).exitCode).toBe(0);
  expect(stored()).toEqual([look, over, count, ["pre-tool", "./new.sh", true]]);

  // Numbers count within an event: the second of pre-tool is the third of the list.
  expect((await hooks("disable config.json pre-tool 2")).exitCode).toBe(0);
  expect((await hooks("enable config.json stop 1")).exitCode).toBe(0);
  const countOff = ["pre-tool", "./count.sh", false];
  const overOn = ["stop", "./over.sh", true];
  expect(stored()).toEqual([look, overOn, countOff, ["pre-tool", "./new.sh", true]]);

  expect((await hooks("remove config.json pre-tool 1")).exitCode).toBe(0);
  const left = [overOn, countOff, ["pre-tool", "./new.sh", true]];
  expect(stored()).toEqual(left);

  const text = readFileSync(file, "utf8");
  for (const action of ["remove", "enable", "disable"]) {
    for (const hook of ["pre-tool 3", "pre-tool 0", "pre-tool -1", "stop 2", "notification 1"]) {
      expect((await hooks(`${action} config.json ${hook}`)).exitCode).toBe(2);
    }
  }
  expect(readFileSync(file, "utf8")).toBe(text);

  const shown = JSON.parse((await hooks("list config.json --json")).stdout) as { events: unknown };
  expect(shown.events).toMatchObject([
    { event: "stop", hooks: [{ number: 1, enabled: true }] },
    {
      event: "pre-tool",
      hooks: [
        { number: 1, enabled: false },
        { number: 2, enabled: true },
      ],
    },
  ]);
});

describe("a file is never lost", () => {
  test("a symbolic link is not replaced", async () => {
    const place = project();
    place.write("real.json", AUTOHAND);
    symlinkSync("real.json", join(place.folder, "config.json"));
    const { exitCode, stderr } = await hooksIn(place)("disable config.json stop 1");
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("real.json") });
  });

  test("a read-only file is not changed", async () => {
    const place = project();
    const file = place.write("settings.json", CLAUDE);
    chmodSync(file, 0o444);
    const { exitCode, stderr } = await hooksIn(place)("remove settings.json Stop 1");
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("read-only") });
    expect(readFileSync(file, "utf8")).toBe(CLAUDE);
  });

  test("a file that another program has changed at the same time is not changed", async () => {
    const place = project();
    const path = place.write("settings.json", CLAUDE);
    const file = await openHooksFile("settings.json", undefined, { cwd: place.folder });
    writeFileSync(path, "{}");
    await expect(saveHooksFile(file, '{"hooks":{}}', [])).rejects.toThrow("it has changed since it was read");
    expect(readFileSync(path, "utf8")).toBe("{}");
  });

  test("keeps its permissions, line breaks and byte order mark", async () => {
    const place = project();
    const text = `\ufeff${CLAUDE.replaceAll("\n", "\r\n")}`;
    const file = place.write("settings.json", text);
    chmodSync(file, 0o600);
    const hooks = hooksIn(place);
    await hooks("add settings.json Stop --command true --matcher x");
    expect(readFileSync(file, "utf8").replaceAll("\r\n", "")).not.toContain("\n");
    await hooks("remove settings.json Stop 2");
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("a change that is interrupted before the agent's file is written counts as not made", async () => {
    const place = project();
    const file = place.write("hooks.json", AGENTAO);
    const hooks = hooksIn(place);
    const before = (await hooks("list agentao:hooks.json")).stdout;
    await hooks("disable agentao:hooks.json Stop 1");
    expect(readFileSync(`${file}.hooks-off.json`, "utf8")).toContain(sha256(AGENTAO));
    writeFileSync(file, AGENTAO);
    expect((await hooks("list agentao:hooks.json")).stdout).toBe(before);
  });

  test("hooks that are off stay stored if the agent's file cannot be parsed", async () => {
    const place = project();
    place.write("hooks.json", AGENTAO);
    const aside = place.write("hooks.json.hooks-off.json", '{"version":2}');
    const { exitCode, stderr } = await hooksIn(place)("disable agentao:hooks.json Stop 1");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining("not a file that hookbox has written"),
    });
    expect(readFileSync(aside, "utf8")).toBe('{"version":2}');
  });
});

test("says after adding or enabling a hook if all hooks are off", async () => {
  const place = project();
  place.write("settings.json", '{"disableAllHooks": true}');
  place.write(
    "hookbox.json",
    '{"disableAllHooks":true,"hooks":{"Stop":[{"hooks":[{"type":"context","text":"x","enabled":false}]}]}}',
  );
  const hooks = hooksIn(place);
  const warning = "; but all hooks of the file are off: hookbox hooks on";
  expect((await hooks("add settings.json PreToolUse --command true")).stdout).toContain(`true${warning} settings.json`);
  expect((await hooks("enable hookbox.json Stop 1")).stdout).toContain(`x${warning} hookbox.json`);
});

test("never gives a hook less time than the user asked for", async () => {
  const place = project();
  const file = place.write("config.json", AUTOHAND);
  await hooksIn(place)("add config.json stop --command true --timeout 0.0004");
  expect(readFileSync(file, "utf8")).toMatch(/"timeout": 1\b/);
});

test("two changes at the same time lose no hook: a change that was computed before the other one is refused", async () => {
  const place = project();
  const path = place.write("settings.json", CLAUDE);
  const open = () => openHooksFile("settings.json", undefined, { cwd: place.folder });
  const [one, other] = [await open(), await open()];
  const first = await switchHook(one, hookAt(one, "PreToolUse", 1), false);
  const second = await switchHook(other, hookAt(other, "PreToolUse", 2), false);
  await saveHooksFile(one, first.text, first.aside);
  const written = [readFileSync(path, "utf8"), readFileSync(`${path}.hooks-off.json`, "utf8")];
  await expect(saveHooksFile(other, second.text, second.aside)).rejects.toThrow("it has changed since it was read");
  expect([readFileSync(path, "utf8"), readFileSync(`${path}.hooks-off.json`, "utf8")]).toEqual(written);

  const [late, later] = [await open(), await open()];
  const back = await switchHook(late, hookAt(late, "PreToolUse", 1), true);
  const more = await switchHook(later, hookAt(later, "Stop", 1), false);
  await saveHooksFile(later, more.text, more.aside);
  await expect(saveHooksFile(late, back.text, back.aside)).rejects.toThrow("it has changed since it was read");
  expect((await open()).aside).toHaveLength(2);
});

describe("a file of hooks that are off, if another user or a repository provides it,", () => {
  const HARMLESS = { type: "command", command: "./lint.sh" };
  const WICKED = { type: "command", command: "./steal.sh" };
  const waiting = (more: object) => {
    const hook = { event: "PostToolUse", number: 1, list: ["hooks", "PostToolUse"], group: {}, ownGroup: true };
    const rest = { item: { hooks: [HARMLESS] }, text: null, hook: HARMLESS, by: "hook", presentIn: null };
    return JSON.stringify({ version: 1, format: "claude-code", hooks: [{ ...hook, ...rest, ...more }] });
  };

  test("restores a hook only if it contains what it shows", async () => {
    const place = project();
    const file = place.write("settings.json", "{}");
    place.write("settings.json.hooks-off.json", waiting({}));
    expect((await hooksIn(place)("enable settings.json PostToolUse 1")).exitCode).toBe(0);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ hooks: { PostToolUse: [{ hooks: [HARMLESS] }] } });
  });

  test.each([
    ["shows one hook and holds another", { item: { hooks: [WICKED] } }],
    ["holds one more than it shows", { item: { hooks: [HARMLESS, WICKED] } }],
    ["holds another matcher than it shows", { item: { matcher: "Bash", hooks: [HARMLESS] } }],
    ["goes to another event", { list: ["hooks", "PreToolUse"] }],
    ["goes where no hooks stand", { list: ["permissions", "allow"], group: null, item: "Bash(*)" }],
  ])("changes nothing if it %s", async (_, more) => {
    const place = project();
    const file = place.write("settings.json", "{}");
    place.write("settings.json.hooks-off.json", waiting(more));
    const { exitCode, stderr } = await hooksIn(place)("enable settings.json PostToolUse 1");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining("is not the hook that was listed"),
    });
    expect(readFileSync(file, "utf8")).toBe("{}");
  });

  test.each([
    ["settings.local.json", "{}"],
    ["settings.json", '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}'],
    ["config.json", AUTOHAND],
    ["hookbox.yaml", "hooks: {}\n"],
  ])("does not decide what %s is", async (name, text) => {
    const place = project();
    const file = place.write(name, text);
    place.write(`${name}.hooks-off.json`, JSON.stringify({ version: 1, format: "agentao", hooks: [] }));
    const { exitCode, stderr } = await hooksIn(place)(`add ${name} PreToolUse --command ./guard.sh`);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("hooks of agentao") });
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("is not read through a link", async () => {
    const place = project();
    place.write("settings.json", CLAUDE);
    place.write("elsewhere.json", waiting({}));
    symlinkSync("elsewhere.json", join(place.folder, "settings.json.hooks-off.json"));
    expect((await hooksIn(place)("list settings.json")).stderr).toContain("symbolic link");
  });
});
