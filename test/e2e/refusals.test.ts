import { describe, expect, test } from "vitest";
import { bashCall, hookbox, project, stopCall, verdictOf } from "./cli.ts";

/** Exit code 2 with text on standard error: what every client measured takes as a refusal. */
function expectRefusal(result: Awaited<ReturnType<typeof hookbox>>, text: RegExp): void {
  expect(result).toMatchObject({ exitCode: 2, stdout: "" });
  expect(result.stderr).toMatch(text);
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
      /hookbox\.json:3:\d+: HOOK_CONFIG_TYPE: timeout: expected number/,
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
  ])("with a configuration that has an %s, and says where", async (_, text, expected) => {
    const place = project();
    const config = place.write("hookbox.json", text);
    const result = await hookbox(["run", "--config", config], { stdin: bashCall("ls") });
    expectRefusal(result, expected);
    const json = await hookbox(["run", "--json", "--config", config], { stdin: bashCall("ls") });
    expect(json.exitCode).toBe(0);
    expect(verdictOf(json).decision).toBe("deny");
    const check = await hookbox(["check", "--config", config]);
    expect(check.exitCode).toBe(1);
  });

  test("with a file that is not there", async () => {
    expectRefusal(
      await hookbox(["run", "--config", "/nonexistent/x.json"], { stdin: bashCall("ls") }),
      /HOOK_CONFIG_NOT_FOUND/,
    );
  });

  test("with a configuration that is a folder", async () => {
    expectRefusal(
      await hookbox(["run", "--config", project().folder], { stdin: bashCall("ls") }),
      /HOOK_CONFIG_UNREADABLE/,
    );
  });

  test("without any configuration", async () => {
    const place = project();
    expectRefusal(await hookbox(["run"], { stdin: bashCall("ls"), cwd: place.folder }), /HOOK_CONFIG_NOT_FOUND/);
  });

  test.each([
    ["empty", "", /standard input is empty/],
    ["cut off", '{"hook_event_name":\n"PreToolUse",', /<stdin>:2:\d+: HOOK_PAYLOAD_INVALID/],
    ["not an object", "[]", /must be a JSON object/],
    ["without an event", "{}", /has no hook_event_name/],
    ["of an unknown event", '{"hook_event_name":"PreToolUze","tool_name":"Bash"}', /HOOK_EVENT_UNKNOWN/],
    ["without a tool", '{"hook_event_name":"PreToolUse"}', /"tool_name"/],
    ["not UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), /not valid UTF-8/],
  ])("a payload that is %s", async (_, stdin, expected) => {
    const config = project().configure("PreToolUse");
    expectRefusal(await hookbox(["run", "--config", config], { stdin }), expected);
  });

  test.each([
    [["run", "--confg", "x"], /HOOK_CLI_USAGE.*--confg/],
    [["run", "--dialect", "klingon"], /unknown dialect/],
    [["run", "extra"], /extra/],
    [["rnu"], /unknown verb "rnu"/],
    [[], /a verb is needed/],
  ])("the command line %j", async (args, expected) => {
    expectRefusal(await hookbox(args, { stdin: bashCall("ls") }), expected);
  });
});

describe("hookbox run at an event that must go on", () => {
  test("ends with exit code 1 when its input is unusable", async () => {
    const config = project().configure("Stop");
    const result = await hookbox(["run", "--event", "Stop", "--config", config], { stdin: "{" });
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
  });

  test("reports a broken configuration and blocks nothing", async () => {
    const config = project().write("hookbox.json", '{"hoks":1}');
    const result = await hookbox(["run", "--config", config], { stdin: stopCall });
    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout)).toEqual({ systemMessage: expect.stringContaining("HOOK_CONFIG_UNKNOWN_KEY") });
  });
});
