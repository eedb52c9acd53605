import { describe, expect, test } from "vitest";
import { autohandCodec } from "../../../src/dialects/autohand/codec.ts";
import { autohand } from "../../../src/dialects/autohand/dialect.ts";
import type { JsonObject } from "../../../src/json.ts";
import fc from "../../helpers/fc.ts";
import { makeEvent } from "../../helpers/rules.ts";
import { makeVerdict } from "../replies.ts";

const decode = (
  stdout: string | JsonObject,
  { exitCode = 0, stderr = "", event = "PreToolUse", payload = {} as JsonObject } = {},
) =>
  autohandCodec.decodeReply(
    { exitCode, stdout: typeof stdout === "string" ? stdout : JSON.stringify(stdout), stderr },
    makeEvent(event, { tool_name: "Bash", tool_input: { command: "ls" }, ...payload }, "autohand"),
  );

describe("the output of a hook", () => {
  test.each<readonly [string | JsonObject, JsonObject]>([
    ["", {}],
    ["all is well", {}],
    ["  [1]", {}],
    [{}, {}],
    [
      { decision: "allow", reason: "r" },
      { decision: "allow", reason: "r" },
    ],
    [{ decision: "deny" }, { decision: "deny" }],
    [
      { decision: "block", reason: "r" },
      { decision: "deny", reason: "r" },
    ],
    [{ decision: "ask" }, { decision: "ask" }],
    [
      { continue: false, stopReason: "enough" },
      { continue: false, stopReason: "enough" },
    ],
    [{ continue: true, stopReason: null }, {}],
    [{ updatedInput: { command: "pwd" } }, { updatedInput: { command: "pwd" } }],
    [{ additionalContext: "c" }, { additionalContext: ["c"] }],
    [
      { decision: null, reason: null, continue: null, stopReason: null, updatedInput: null, additionalContext: null },
      {},
    ],
  ])("at exit code 0 counts: %j", (stdout, reply) => {
    expect(decode(stdout)).toMatchObject({ ok: true, reply });
  });

  test.each<readonly [string | JsonObject]>([
    ["{not-json"],
    ['{"decision":"deny"'],
    ['{"a":1}\n{"b":2}'],
    [{ decision: "approve" }],
    [{ decision: "Deny" }],
    [{ decision: 1 }],
    [{ reason: 1 }],
    [{ continue: "false" }],
    [{ stopReason: {} }],
    [{ updatedInput: [] }],
    [{ updatedInput: { type: "read_file" } }],
    [{ additionalContext: 3 }],
  ])("is no answer: %j", (stdout) => {
    expect(decode(stdout)).toMatchObject({ ok: false, failure: { kind: "invalid-output" } });
  });

  test("does not count with another exit code", () => {
    expect(decode({ decision: "allow" }, { exitCode: 2, stderr: "no " })).toEqual({
      ok: true,
      reply: { decision: "deny", reason: "no" },
    });
    expect(decode({ decision: "allow" }, { exitCode: 2 })).toEqual({
      ok: true,
      reply: { decision: "deny", reason: "blocked by a hook" },
    });
    expect(decode({ decision: "allow" }, { exitCode: 1, stderr: "oops\nmore" })).toMatchObject({
      ok: false,
      failure: { kind: "exit", value: 1, message: "ended with exit code 1: oops" },
    });
  });

  test("is in the agent's words, and becomes canonical", () => {
    const payload = { tool_name: "Read", tool_input: { file_path: "a", limit: 3 } };
    expect(decode({ updatedInput: { path: "b" } }, { payload })).toMatchObject({
      reply: { updatedInput: { file_path: "b", limit: 3 } },
    });
    const line = { tool_name: "Bash", tool_input: { command: "ls -l", args: ["-l"] } };
    expect(decode({ updatedInput: { args: ["-a"] } }, { payload: line })).toMatchObject({
      reply: { updatedInput: { command: "ls -a", args: ["-a"] } },
    });
  });

  test("is shown to the user at events where nothing can be blocked", () => {
    expect(decode("", { exitCode: 2, stderr: "no", event: "Stop" })).toMatchObject({
      ok: true,
      reply: { systemMessage: expect.stringContaining("stop cannot be blocked: no") },
    });
  });

  test("loses unknown fields, which are named", () => {
    expect(decode({ decision: "deny", colour: "red" })).toMatchObject({
      reply: { decision: "deny" },
      ignored: ["colour: unknown field"],
    });
  });

  test("never throws, and permits only with the exact word", () => {
    const key = fc.constantFrom(
      "decision",
      "reason",
      "continue",
      "stopReason",
      "updatedInput",
      "additionalContext",
      "hookSpecificOutput",
      "x",
    );
    const value = fc.oneof(
      fc.constantFrom("allow", "Allow", "approve", "deny", null, false),
      fc.jsonValue({ maxDepth: 1 }),
    );
    const text = fc.oneof(
      fc.dictionary(key, value).map((json) => JSON.stringify(json)),
      fc.string(),
      fc.string().map((end) => `{"decision":"allow"${end}`),
    );
    fc.assert(
      fc.property(
        text,
        fc.constantFrom(0, 1, 2, 127),
        fc.constantFrom("PreToolUse", "PermissionRequest", "Stop"),
        (stdout, exitCode, event) => {
          const decoded = decode(stdout, { exitCode, event });
          if (!decoded.ok || decoded.reply.decision !== "allow") return;
          expect(exitCode).toBe(0);
          expect(JSON.parse(stdout)["decision"]).toBe("allow");
        },
      ),
    );
  });
});

test("a web hook in place of a command is read as a command that ended with 0", () => {
  const event = makeEvent("PreToolUse", { tool_name: "Bash" }, "autohand");
  const read = (status: number, body: string) =>
    autohandCodec.decodeHttpReply({ status, contentType: "", body }, event);
  expect(read(200, "")).toEqual({ ok: true, reply: {} });
  expect(read(200, '{"decision":"deny"}')).toMatchObject({ reply: { decision: "deny" } });
  expect(read(500, '{"decision":"allow"}')).toMatchObject({ ok: false, failure: { kind: "unavailable" } });
  expect(read(200, "text")).toMatchObject({ ok: false, failure: { kind: "invalid-output" } });
});

describe("a verdict", () => {
  const bash = { tool_name: "Bash", tool_input: { command: "ls" } };
  const reply = (name: string, parts: object, payload: JsonObject = bash) => {
    const { stdout, ...rest } = autohand.encodeReply(makeVerdict(name, parts), { name, payload });
    return { ...rest, stdout: stdout === "" ? "" : JSON.parse(stdout) };
  };

  test.each<readonly [string, object, object]>([
    ["PreToolUse", {}, { stdout: "", exitCode: 0 }],
    ["PreToolUse", { decision: "deny", reason: "no" }, { stdout: { decision: "deny", reason: "no" }, exitCode: 0 }],
    [
      "PreToolUse",
      { decision: "allow", reason: "fine" },
      { stdout: { decision: "allow", reason: "fine" }, exitCode: 0 },
    ],
    ["PermissionRequest", { decision: "ask" }, { stdout: { decision: "ask" }, exitCode: 0 }],
    ["PreToolUse", { decision: "defer" }, { stdout: { decision: "ask" }, exitCode: 0 }],
    [
      "PreToolUse",
      { decision: "deny", continue: false, stopReason: "enough" },
      { stdout: { decision: "deny", reason: "enough", continue: false, stopReason: "enough" }, exitCode: 0 },
    ],
    ["UserPromptSubmit", { decision: "block", reason: "no" }, { stdout: "", stderr: "no\n", exitCode: 2 }],
    ["BeforeLearn", { decision: "block", reason: "no" }, { stdout: "", stderr: "no\n", exitCode: 2 }],
    ["PreToolUse", { additionalContext: "c" }, { stdout: { additionalContext: "c" }, exitCode: 0 }],
    ["Stop", { systemMessage: "m" }, { stdout: "", stderr: "m\n", exitCode: 0 }],
    ["PreToolUse", { cancelled: true }, { stdout: "", exitCode: 2 }],
    ["Stop", { cancelled: true }, { stdout: "", exitCode: 1 }],
  ])("of %s, %j, is what the agent reads", (name, parts, expected) => {
    expect(reply(name, parts)).toMatchObject(expected);
  });

  test("has its new input with the agent's names", () => {
    const read = { tool_name: "Read", tool_input: { file_path: "a" } };
    expect(reply("PreToolUse", { updatedInput: { file_path: "b" } }, read).stdout).toEqual({
      updatedInput: { path: "b" },
    });
    const line = { tool_name: "Bash", tool_input: { command: "ls -l", args: ["-l"] } };
    expect(reply("PreToolUse", { updatedInput: { command: "pwd", args: ["-l"] } }, line).stdout).toEqual({
      updatedInput: { command: "pwd", args: [] },
    });
  });

  test("is the same after it was written in the agent's words and read again", () => {
    for (const [decision, reason] of [
      ["deny", "no"],
      ["ask", "sure?"],
      ["allow", "yes"],
    ] as const) {
      const { stdout } = autohand.encodeReply(makeVerdict("PreToolUse", { decision, reason }), {
        name: "PreToolUse",
        payload: bash,
      });
      expect(decode(stdout)).toMatchObject({ ok: true, reply: { decision, reason } });
    }
  });
});
