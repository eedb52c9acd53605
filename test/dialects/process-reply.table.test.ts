import { describe, expect, test } from "vitest";
import { type CodecName, decode, type Ended, failureOf, replyOf, says } from "./replies.ts";

/** Claude Code's table of standard output by exit code, at PreToolUse, row by row. */

const BOTH: readonly CodecName[] = ["claude-code", "hookbox"];
const allow = says("PreToolUse", { permissionDecision: "allow", permissionDecisionReason: "fine" });
const deny = says("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "json says no" });
const ask = says("PreToolUse", { permissionDecision: "ask" });
const UNREADABLE = ["{oops}", '{"decision": "deny",}', "{'a': 1}"];
const AGAINST_THE_SCHEMA = [
  { decision: "no" },
  { continue: "false" },
  { hookSpecificOutput: [] },
  says("PreToolUse", { permissionDecision: "yes" }),
  says("PreToolUse", { permissionDecision: null }),
  says("PreToolUse", { updatedInput: "ls" }),
  says("PostToolUse", { permissionDecision: "allow" }),
];
const TEXTS = ["", "  \n", "all is well", '"deny"', "[1, 2]", "deny {}", "null"];

describe.each(BOTH)("at exit code 0, a %s hook", (codec) => {
  test("decides by its JSON", () => {
    expect(replyOf(codec, { stdout: allow })).toEqual({ decision: "allow", reason: "fine" });
    expect(replyOf(codec, { stdout: deny })).toEqual({ decision: "deny", reason: "json says no" });
    expect(replyOf(codec, { stdout: `\n  ${JSON.stringify(ask, null, 2)}\n` })).toEqual({ decision: "ask" });
    expect(replyOf(codec, { stdout: "{}" })).toEqual({});
  });

  test("is read in its older form, too", () => {
    expect(replyOf(codec, { stdout: { decision: "approve", reason: "ok" } })).toEqual({
      decision: "allow",
      reason: "ok",
    });
    expect(replyOf(codec, { stdout: { decision: "block", reason: "no" } })).toEqual({ decision: "deny", reason: "no" });
  });

  test("that contradicts itself has its strongest meaning", () => {
    expect(replyOf(codec, { stdout: { decision: "approve", ...deny } })).toMatchObject({ decision: "deny" });
    expect(replyOf(codec, { stdout: { decision: "block", reason: "no", ...allow } })).toEqual({
      decision: "deny",
      reason: "no",
    });
  });

  test("may use all fields at once", () => {
    const stdout = {
      continue: false,
      stopReason: "enough",
      systemMessage: "careful",
      suppressOutput: true,
      ...says("PreToolUse", {
        updatedInput: { command: "ls" },
        additionalContext: "a hint",
        permissionDecision: "ask",
      }),
    };
    expect(replyOf(codec, { stdout })).toEqual({
      decision: "ask",
      continue: false,
      stopReason: "enough",
      systemMessage: "careful",
      suppressOutput: true,
      updatedInput: { command: "ls" },
      additionalContext: ["a hint"],
    });
  });

  test.each(UNREADABLE)("fails if its output looks like JSON and is not: %s", (stdout) => {
    expect(failureOf(codec, { stdout })).toEqual({
      kind: "invalid-output",
      message: expect.stringContaining("looks like JSON"),
    });
  });

  test.each(AGAINST_THE_SCHEMA)("fails if its JSON has no meaning: %j", (stdout) => {
    expect(failureOf(codec, { stdout }).kind).toBe("invalid-output");
  });

  test.each(TEXTS)("has no opinion if it prints text: %j", (stdout) => {
    expect(replyOf(codec, { stdout, stderr: "noise" })).toEqual({});
  });
});

describe.each(BOTH)("at exit code 2, a %s hook", (codec) => {
  const refused = (ended: Omit<Ended, "exitCode">) => replyOf(codec, { ...ended, exitCode: 2 });

  test("refuses, and stderr says why", () => {
    expect(refused({ stderr: " not\nlike this\n" })).toEqual({ decision: "deny", reason: "not\nlike this" });
  });

  test("refuses even without a reason of its own", () => {
    expect(refused({})).toEqual({ decision: "deny", reason: "blocked with exit code 2 and no reason" });
  });

  test("refuses even if its JSON allows", () => {
    expect(refused({ stdout: allow, stderr: "no" })).toEqual({ decision: "deny", reason: "no" });
    expect(refused({ stdout: { decision: "approve" }, stderr: "no" })).toEqual({ decision: "deny", reason: "no" });
    expect(refused({ stdout: ask }).decision).toBe("deny");
  });

  test("gives its JSON's reason if that refuses as well", () => {
    expect(refused({ stdout: deny, stderr: "stderr says no" })).toEqual({ decision: "deny", reason: "json says no" });
    expect(refused({ stdout: { decision: "block" }, stderr: "stderr says no" }).reason).toBe("stderr says no");
  });

  test("may still add text and stop the agent, and rewrites nothing", () => {
    const stdout = {
      continue: false,
      systemMessage: "careful",
      ...says("PreToolUse", {
        permissionDecision: "allow",
        updatedInput: { command: "ls" },
        additionalContext: "a hint",
      }),
    };
    expect(refused({ stdout, stderr: "no" })).toEqual({
      decision: "deny",
      reason: "no",
      continue: false,
      systemMessage: "careful",
      additionalContext: ["a hint"],
    });
  });

  test.each([...UNREADABLE, ...AGAINST_THE_SCHEMA, ...TEXTS])("refuses whatever its output is: %j", (stdout) => {
    expect(refused({ stdout, stderr: "no" })).toEqual({ decision: "deny", reason: "no" });
  });
});

describe.each([1, 3, 255])("at exit code %i", (exitCode) => {
  test("a claude-code hook's JSON decides alone", () => {
    expect(replyOf("claude-code", { stdout: allow, exitCode })).toEqual({ decision: "allow", reason: "fine" });
    expect(replyOf("claude-code", { stdout: deny, exitCode }).decision).toBe("deny");
    expect(replyOf("claude-code", { stdout: "{}", exitCode })).toEqual({});
  });

  test("only a refusal of a hookbox hook counts", () => {
    expect(replyOf("hookbox", { stdout: deny, exitCode }).decision).toBe("deny");
    expect(replyOf("hookbox", { stdout: ask, exitCode }).decision).toBe("ask");
    expect(replyOf("hookbox", { stdout: { continue: false }, exitCode }).continue).toBe(false);
    for (const stdout of [allow, "{}", { systemMessage: "done" }])
      expect(failureOf("hookbox", { stdout, exitCode })).toMatchObject({ kind: "exit", value: exitCode });
  });

  test.each(BOTH)("any other output of a %s hook is a failure, which quotes its first line of stderr", (codec) => {
    for (const stdout of [...UNREADABLE, ...AGAINST_THE_SCHEMA, ...TEXTS]) {
      expect(failureOf(codec, { stdout, stderr: "Traceback:\n  line 1", exitCode })).toEqual({
        kind: "exit",
        message: `ended with exit code ${exitCode}: Traceback:`,
        limit: 0,
        value: exitCode,
      });
    }
    expect(failureOf(codec, { exitCode }).message).toBe(`ended with exit code ${exitCode}`);
  });
});

describe("output that only starts like JSON", () => {
  test("is text for Claude Code", () => {
    expect(replyOf("claude-code", { stdout: '{"decision": "block"' })).toEqual({});
    expect(replyOf("claude-code", { stdout: "{ starting\ndone" }, "UserPromptSubmit")).toEqual({
      additionalContext: ["{ starting\ndone"],
    });
  });

  test("was cut off if the hook is of hookbox's own format", () => {
    expect(failureOf("hookbox", { stdout: '{"decision": "block"' }).kind).toBe("invalid-output");
  });
});

describe.each(BOTH)("several lines of JSON from a %s hook", (codec) => {
  const log = '{"level": 30, "msg": "a"}\n{"level": 30, "msg": "b"}\n';

  test("are a log, and text like any other", () => {
    expect(replyOf(codec, { stdout: log })).toEqual({});
    expect(replyOf(codec, { stdout: log }, "SessionStart")).toEqual({ additionalContext: [log.trim()] });
    expect(replyOf(codec, { stdout: log, exitCode: 2, stderr: "no" })).toEqual({ decision: "deny", reason: "no" });
    expect(failureOf(codec, { stdout: log, exitCode: 1 }).kind).toBe("exit");
  });

  test.each([
    { continue: false },
    { decision: "block" },
    { reason: "no" },
    { stopReason: "no" },
    { systemMessage: "no" },
    { hookSpecificOutput: {} },
    { suppressOutput: true },
    { terminalSequence: "\u0007" },
  ])("with a reply among them (%j) are a failure, so that no opinion is lost", (line) => {
    expect(failureOf(codec, { stdout: `${log}${JSON.stringify(line)}\n` }).kind).toBe("invalid-output");
    expect(failureOf(codec, { stdout: `${JSON.stringify(line)}\n${log}` }).kind).toBe("invalid-output");
  });

  test("that cannot all be parsed are a failure", () => {
    expect(failureOf(codec, { stdout: `${log}{oops}` }).kind).toBe("invalid-output");
  });
});

describe("an unknown field", () => {
  test("is ignored and reported in a claude-code hook's reply", () => {
    const decoded = decode("claude-code", { stdout: { permissionDecision: "deny" } });
    expect(decoded).toEqual({ ok: true, reply: {}, ignored: ["permissionDecision: unknown field"] });
  });

  test("makes a hookbox hook's reply invalid", () => {
    expect(failureOf("hookbox", { stdout: { permissionDecision: "deny" } })).toEqual({
      kind: "invalid-output",
      message: "unknown field permissionDecision",
    });
    expect(failureOf("hookbox", { stdout: says("PreToolUse", { permission: "deny" }) }).message).toBe(
      "unknown field hookSpecificOutput.permission",
    );
    expect(failureOf("hookbox", { stdout: { hookSpecificOutput: { permissionDecision: "deny" } } }).kind).toBe(
      "invalid-output",
    );
  });
});
