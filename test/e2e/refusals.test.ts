import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { ABSENT } from "../helpers/folders.ts";
import { wat } from "../helpers/guests.ts";
import { bashCall, type CliResult, expectEndedSoon, hookbox, project, replyOf, stopCall, verdictOf } from "./cli.ts";
import { inProcess } from "./in-process.ts";

/** Exit code 2 with text on standard error, which every tested client treats as a refusal. */
function expectRefusal(result: CliResult, text: RegExp): void {
  expect(result).toMatchObject({ exitCode: 2, stdout: "" });
  expect(result.stderr).toMatch(text);
}

/** The same, and JSON for agents that ignore exit codes, because the agent is not known. */
function expectRefusalOfAny(result: CliResult, text: RegExp): void {
  expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(text) });
  const reason = expect.stringMatching(text);
  expect(JSON.parse(result.stdout)).toMatchObject({ decision: "block", reason, blockingError: reason, block: true });
}

const RULE = '{"type":"command","command":"true"}';
const wrapped = (hooks: string): string => `{\n  "hooks": {\n    ${hooks}\n  }\n}\n`;

describe("hookbox run refuses at a gate", () => {
  test.each([
    [
      "unknown top-level key",
      '{\n  "hoks": {}\n}',
      /hookbox\.json:2:3: HOOK_CONFIG_UNKNOWN_KEY: unknown key "hoks" \(did you mean "hooks"\?\)/,
    ],
    [
      "unknown key of a hook",
      wrapped('"PreToolUse": [{"hooks": [{"type":"command","command":"true","timeuot":5}]}]'),
      /hookbox\.json:3:66: HOOK_CONFIG_UNKNOWN_KEY.*did you mean "timeout/,
    ],
    [
      "unknown matcher key",
      wrapped(`"PreToolUse": [{"matchers": "Read", "hooks": [${RULE}]}]`),
      /hookbox\.json:3:21: HOOK_CONFIG_UNKNOWN_KEY.*did you mean "matcher"/,
    ],
    [
      "wrong type deep in the file",
      wrapped('"PreToolUse": [{"hooks": [{"type":"command","command":"true","timeout":"5"}]}]'),
      /hookbox\.json:3:\d+: HOOK_CONFIG_TYPE: timeout is a string; expected a number/,
    ],
    [
      "unknown event",
      wrapped(`"PreToolUze": [{"hooks": [${RULE}]}]`),
      /hookbox\.json:3:5: HOOK_CONFIG_UNKNOWN_EVENT.*did you mean "PreToolUse"/,
    ],
    [
      "matcher that could hang the engine",
      wrapped(`"PreToolUse": [{"matcher": "^(?!Bash)", "hooks": [${RULE}]}]`),
      /HOOK_CONFIG_MATCHER/,
    ],
    ["file that is cut off", '{"hooks": {', /hookbox\.json:1:12: HOOK_CONFIG_SYNTAX/],
    ["key that stands twice", `{"hooks": {"Stop": [], "Stop": []}}`, /HOOK_CONFIG_DUPLICATE_KEY/],
  ])("with a configuration that has an %s, and names the place", async (_, text, expected) => {
    const place = project();
    const config = place.write("hookbox.json", text);
    const result = await inProcess(["run", "--config", config], { stdin: bashCall("ls") });
    expectRefusal(result, expected);
    const json = await inProcess(["run", "--json", "--config", config], { stdin: bashCall("ls") });
    expect(json.exitCode).toBe(0);
    expect(verdictOf(json).decision).toBe("deny");
    const check = await inProcess(["check", "--config", config]);
    expect(check.exitCode).toBe(1);
  });

  test("with a broken configuration, in a process as well", async () => {
    const config = project().write("hookbox.json", '{\n  "hoks": {}\n}');
    const stdin = bashCall("ls");
    expectRefusal(await hookbox(["run", "--config", config], { stdin }), /hookbox\.json:2:3: HOOK_CONFIG_UNKNOWN_KEY/);
    expect(await hookbox(["check", "--config", config])).toMatchObject({ exitCode: 1, stderr: "" });
  });

  test("with a file that does not exist", async () => {
    expectRefusal(
      await inProcess(["run", "--config", `${ABSENT}/x.json`], { stdin: bashCall("ls") }),
      /HOOK_CONFIG_NOT_FOUND/,
    );
  });

  test("with a file that cannot be read, and names its path once", async () => {
    const { folder } = project();
    const link = join(folder, "loop.json");
    symlinkSync(link, link);
    for (const file of [link, join(folder, "none.json"), folder]) {
      const said = await inProcess(["run", "--config", file], { stdin: bashCall("ls") });
      expect(said.stderr.split(file)).toHaveLength(2);
      const { reason } = verdictOf(await inProcess(["run", "--json", "--config", file], { stdin: bashCall("ls") }));
      expect(reason?.split(file)).toHaveLength(2);
      for (const verb of [["check"], ["explain", "--config"]]) {
        const { stdout } = await inProcess([...verb, file], { stdin: bashCall("ls") });
        expect(stdout.split(file)).toHaveLength(2);
      }
    }
  });

  test("with a configuration that is a folder", async () => {
    expectRefusal(
      await inProcess(["run", "--config", project().folder], { stdin: bashCall("ls") }),
      /HOOK_CONFIG_UNREADABLE/,
    );
  });

  test("without any configuration", async () => {
    const place = project();
    expectRefusalOfAny(await inProcess(["run"], { stdin: bashCall("ls"), cwd: place.folder }), /HOOK_CONFIG_NOT_FOUND/);
  });

  test.each([
    ["empty", "", /standard input is empty/],
    ["cut off", '{"hook_event_name":\n"PreToolUse",', /<stdin>:2:\d+: HOOK_PAYLOAD_INVALID/],
    ["not an object", "[]", /must be a JSON object/],
    ["without an event", "{}", /has no hook_event_name/],
    ["of an unknown event", '{"hook_event_name":"PreToolUze","tool_name":"Bash"}', /HOOK_EVENT_UNKNOWN/],
    ["not UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), /not valid UTF-8/],
  ])("a payload that is %s", async (_, stdin, expected) => {
    const config = project().configure("PreToolUse");
    expectRefusalOfAny(await inProcess(["run", "--config", config], { stdin }), expected);
  });

  test("a payload without a tool", async () => {
    const config = project().configure("PreToolUse");
    const stdin = '{"hook_event_name":"PreToolUse"}';
    expectRefusal(await inProcess(["run", "--config", config], { stdin }), /"tool_name"/);
  });

  test("a missing payload", async () => {
    const config = project().configure("PreToolUse");
    expectRefusalOfAny(await hookbox(["run", "--config", config], { stdin: "" }), /standard input is empty/);
  });

  test.each([
    [["run", "--confg", "x"], /HOOK_CLI_USAGE.*--confg/],
    [["run", "--dialect", "klingon"], /unknown dialect/],
    [["run", "extra"], /extra/],
    [["rnu"], /unknown verb "rnu"\n {2}did you mean "run"\?/],
    [["tset"], /unknown verb "tset"\n {2}did you mean "test"\?/],
  ])("the command line %j", async (args, expected) => {
    expectRefusalOfAny(await inProcess(args, { stdin: bashCall("ls") }), expected);
  });

  test("the command line of a command that answers no agent", async () => {
    const result = await inProcess(["check", "--no-such"], { stdin: bashCall("ls") });
    expectRefusal(result, /\n {2}hookbox check --help/);
  });

  test("a command line without a command", async () => {
    expectRefusalOfAny(await hookbox([], { stdin: bashCall("ls") }), /a verb is needed/);
  });
});

describe("hookbox run at an event that must go on", () => {
  test("ends with exit code 1 if its input cannot be used", async () => {
    const config = project().configure("Stop");
    const result = await inProcess(["run", "--event", "Stop", "--config", config], { stdin: "{" });
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
  });

  test("reports a broken configuration and blocks nothing", async () => {
    const config = project().write("hookbox.json", '{"hoks":1}');
    const result = await inProcess(["run", "--config", config], { stdin: stopCall });
    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout)).toEqual({ systemMessage: expect.stringContaining("HOOK_CONFIG_UNKNOWN_KEY") });
  });
});

describe("hookbox run refuses at a gate", () => {
  const GUARD = { type: "wasm", module: "builtin:shell-guard", timeoutMs: 20_000 };

  test("if its reply cannot be written", async () => {
    const config = project().configure("PreToolUse", GUARD);
    const result = await shell(`"$NODE" "$MAIN" run --config "${config}" > /dev/full`, bashCall("rm -rf /"));
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toMatch(/could not be written/);
  });

  test("but blocks no agent from stopping if its reply cannot be written", async () => {
    const config = project().configure("Stop", GUARD);
    const result = await shell(`"$NODE" "$MAIN" run --json --config "${config}" > /dev/full`, stopCall);
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toMatch(/could not be written/);
  });

  // Node exits with 1 after an uncaught error, which agents treat as consent.
  test.each([
    ["PreToolUse", bashCall("ls"), 2],
    ["Stop", stopCall, 1],
  ])("if an uncaught error occurs at %s", async (event, stdin, exitCode) => {
    const place = project();
    const begun = join(place.folder, "begun");
    const config = place.configure(event, { type: "command", command: `: >'${begun}'; sleep 5` });
    const code = `import { existsSync } from "node:fs";
      setInterval(() => { if (existsSync(${JSON.stringify(begun)})) throw new Error("a defect"); }, 20);`;
    const defect = `data:text/javascript,${encodeURIComponent(code)}`;
    const result = await shell(`"$NODE" --import "${defect}" "$MAIN" run --config "${config}"`, stdin);
    expect(result).toMatchObject({ exitCode, stdout: "", stderr: expect.stringContaining("a defect") });
  });

  test("if the command line and the payload name different events", async () => {
    const config = project().configure("PreToolUse", GUARD);
    const result = await inProcess(["run", "--config", config, "--event", "Stop"], { stdin: bashCall("rm -rf /") });
    expectRefusalOfAny(result, /command line says Stop/);
  });

  test("if an async hook runs longer than the agent waits", async () => {
    const config = project().configure("PreToolUse", GUARD, {
      type: "command",
      command: "sleep 600",
      timeoutMs: 1,
      async: true,
    });
    const result = await hookbox(["run", "--config", config], { stdin: bashCall("rm -rf /") });
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"deny"') });
    await expectEndedSoon(result, 2_000, 4);
  });

  test("if the agent never ends its input", async () => {
    const config = project().configure("PreToolUse", GUARD);
    const line = `exec "$NODE" "$MAIN" run --config "${config}"`;
    const result = await shell(line, bashCall("rm -rf /"), { endsInput: false });
    expect(result.stdout).toContain('"permissionDecision":"deny"');
  });

  test("if a loop that V8 does not interrupt runs while it answers", async () => {
    const place = project();
    const fills = "(loop $l (memory.fill (i32.const 0) (i32.const 1) (i32.const 16777215)) (br $l))";
    const module = wat(`(module (memory 256) (func (export "handle") (result i32) ${fills} (i32.const 0)))`);
    const stuck = { type: "wasm", module: place.write("stuck.wasm", module), limits: { fuel: 2e9 }, mode: "monitor" };
    const config = place.configure("PreToolUse", GUARD, { ...stuck, timeoutMs: 200 });
    const result = await hookbox(["run", "--config", config], { stdin: bashCall("rm -rf /") });
    expect(result).toMatchObject({ exitCode: 0, signal: null, stdout: expect.stringContaining('"deny"') });
  });

  test("if a module is built to take long to examine", async () => {
    const place = project();
    const calls = wat(`(module (func $f) (func $g ${"(call $f)".repeat(160_000)})
      (func (export "handle") (result i32) (i32.const 0)))`);
    const config = place.configure("PreToolUse", { ...GUARD, module: place.write("calls.wasm", calls) });
    const result = await inProcess(["run", "--config", config], { stdin: bashCall("ls") });
    expect(replyOf(result)).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringContaining("HOOK_MODULE_LIMIT"),
    });
  });

  test("if the variable for the user's configuration folder is empty", async () => {
    const place = project();
    mkdirSync(join(place.folder, ".config/hookbox"), { recursive: true });
    place.write(".config/hookbox/hookbox.json", JSON.stringify({ hooks: { PreToolUse: [{ hooks: [GUARD] }] } }));
    const env = { HOME: place.folder, XDG_CONFIG_HOME: "" };
    const { stdout } = await inProcess(["run"], { stdin: bashCall("rm -rf /"), cwd: place.folder, env });
    expect(stdout).toContain('"deny"');
  });

  test.each([
    ["a key twice", '{"decision":"block","decision":"approve"}'],
    ["words before it", 'warn: x\n{"decision":"block"}'],
    ["a list around it", '[{"decision":"block"}]'],
    ["a colour before it", '\u001b[0m{"decision":"block"}'],
  ])("if a hook's refusal has %s", async (_, output) => {
    const place = project();
    const file = place.write("reply.txt", output);
    const config = place.configure("PreToolUse", { type: "command", command: `cat >/dev/null; cat '${file}'` });
    const result = await inProcess(["run", "--config", config], { stdin: bashCall("ls") });
    expect(replyOf(result).permissionDecision).toBe("deny");
  });
});

function shell(
  line: string,
  stdin: string,
  { endsInput = true } = {},
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const env = {
    ...process.env,
    NODE: process.execPath,
    MAIN: resolve(import.meta.dirname, "../../dist/bundle/hookbox.cjs"),
  };
  return new Promise((done) => {
    const child = execFile("sh", ["-c", line], { env }, (error, stdout, stderr) => {
      done({ exitCode: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
    child.stdin?.write(stdin);
    if (endsInput) child.stdin?.end();
  });
}
