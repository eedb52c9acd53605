import { describe, expect, test } from "vitest";
import { agentaoCodec } from "../../../src/dialects/agentao/codec.ts";
import type { JsonValue } from "../../../src/json.ts";
import type { Reply } from "../../../src/outcome.ts";
import fc from "../../helpers/fc.ts";
import { makeEvent } from "../../helpers/rules.ts";
import { decode, EVENTS, replyOf } from "./agentao-hooks.ts";

const BOTH = ["safer", "faithful"] as const;
const STOPPED = "Hook prevented continuation";

describe("before the user's message", () => {
  test.each<[JsonValue, Reply]>([
    ["", {}],
    [{}, {}],
    [{ note: 1 }, {}],
    ["some text", { additionalContext: ["some text"] }],
    ["[1, 2]", { additionalContext: ["[1, 2]"] }],
    ['"quoted"', { additionalContext: ['"quoted"'] }],
    [{ additionalContext: "x" }, { additionalContext: ["x"] }],
    [{ additionalContext: ["x", "y", 3] }, { additionalContext: ["x", "y"] }],
    [{ additional_contexts: ["x"] }, { additionalContext: ["x"] }],
    [{ blockingError: "no" }, { decision: "block", reason: "no" }],
    [{ blocking_error: "no" }, { decision: "block", reason: "no" }],
    [{ hook_blocking_error: "no" }, { decision: "block", reason: "no" }],
    [{ blockingError: 7 }, { decision: "block", reason: "7" }],
    [{ blockingError: "" }, { decision: "block", reason: "blocked by a hook" }],
    [
      { blockingError: "no", preventContinuation: true },
      { decision: "block", reason: "no" },
    ],
    [
      { attachment_type: "hook_blocking_error", payload: { message: "no" } },
      { decision: "block", reason: "no" },
    ],
    [
      { attachment_type: "hook_blocking_error", payload: "no" },
      { decision: "block", reason: "no" },
    ],
    [
      { type: "hook_blocking_error", message: "no" },
      { decision: "block", reason: "no" },
    ],
    [{ type: "hook_blocking_error" }, { decision: "block", reason: "blocked by a hook" }],
    [{ type: "hook_additional_context", content: "c" }, { additionalContext: ["c"] }],
    [{ type: "hook_success" }, {}],
    [
      { type: "hook_stopped_continuation", reason: "later" },
      { continue: false, stopReason: "later" },
    ],
    [
      [
        { type: "hook_additional_context", content: "c" },
        { type: "hook_blocking_error", error: "no" },
      ],
      { decision: "block", reason: "no", additionalContext: ["c"] },
    ],
    [
      { preventContinuation: true, stopReason: "p" },
      { continue: false, stopReason: "p" },
    ],
    [{ preventContinuation: 1 }, { continue: false, stopReason: STOPPED }],
    [{ prevent_continuation: true }, { continue: false, stopReason: STOPPED }],
    [{ preventContinuation: 0 }, {}],
    [{ continue: false }, { continue: false, stopReason: STOPPED }],
    [
      { decision: "block", reason: "no" },
      { decision: "block", reason: "no" },
    ],
    [
      { systemMessage: "m", suppress_output: true },
      { systemMessage: "m", suppressOutput: true },
    ],
  ])("%j means %j, with either compat", (stdout, reply) => {
    for (const compat of BOTH) expect(replyOf("UserPromptSubmit", { stdout }, compat)).toEqual(reply);
  });

  test("null is an error by default, and not by the page", () => {
    const stdout = { blockingError: null };
    expect(replyOf("UserPromptSubmit", { stdout })).toEqual({ decision: "block", reason: "null" });
    expect(replyOf("UserPromptSubmit", { stdout }, "faithful")).toEqual({});
  });

  test("JSON counts whatever the exit code, and so does text", () => {
    for (const compat of BOTH) {
      expect(replyOf("UserPromptSubmit", { stdout: { blockingError: "no" }, exitCode: 1 }, compat).decision).toBe(
        "block",
      );
      expect(replyOf("UserPromptSubmit", { stdout: "text", exitCode: 1 }, compat).additionalContext).toEqual(["text"]);
      expect(decode("UserPromptSubmit", { exitCode: 1, stderr: "gone" }, compat)).toMatchObject({
        failure: { kind: "exit", value: 1, message: "ended with exit code 1: gone" },
      });
    }
  });
});

describe("before a tool call", () => {
  const permission = (word: JsonValue, more: object = {}) => ({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: word, ...more } as JsonValue,
  });

  test.each<[JsonValue, Reply]>([
    [permission("deny", { permissionDecisionReason: "no" }), { decision: "deny", reason: "no" }],
    [permission("deny", { reason: "inner" }), { decision: "deny", reason: "inner" }],
    [
      { ...permission("deny"), reason: "outer" },
      { decision: "deny", reason: "outer" },
    ],
    [permission("ask"), { decision: "ask" }],
    [permission("allow"), {}],
    [permission("defer"), { decision: "ask" }],
    [{ permission_decision: "deny" }, { decision: "deny" }],
    [
      { decision: "block", reason: "no" },
      { decision: "deny", reason: "no" },
    ],
    [{ decision: "approve" }, {}],
    [{ ...permission("allow"), decision: "block" }, { decision: "deny" }],
    [{ blockingError: "no" }, { decision: "deny", reason: "no" }],
    [
      { type: "hook_blocking_error", payload: { blocking_error: "no" } },
      { decision: "deny", reason: "no" },
    ],
    [
      { ...permission("allow"), blockingError: "no" },
      { decision: "deny", reason: "no" },
    ],
    [
      { continue: false, stopReason: "p" },
      { continue: false, stopReason: "p" },
    ],
    [permission("ask", { additionalContext: "c" }), { decision: "ask", additionalContext: ["c"] }],
    ["plain words", { additionalContext: ["plain words"] }],
  ])("%j means %j, with either compat", (stdout, reply) => {
    for (const compat of BOTH) expect(replyOf("PreToolUse", { stdout }, compat)).toEqual(reply);
  });

  test.each<[string, JsonValue]>([
    ["two places", { ...permission("allow"), permissionDecision: "deny" }],
    ["two spellings", { hookSpecificOutput: { permissionDecision: "allow", permission_decision: "deny" } }],
    [
      "two attachments",
      [
        { type: "hook_success", ...permission("deny") },
        { type: "hook_success", ...permission("allow") },
      ],
    ],
    [
      "two decisions",
      [
        { type: "hook_success", decision: "block" },
        { type: "hook_success", decision: "approve" },
      ],
    ],
    ["two errors", { blockingError: "", blocking_error: "no" }],
    [
      "two words on going on",
      [
        { type: "hook_success", continue: false },
        { type: "hook_success", continue: true },
      ],
    ],
    ["two words on stopping", { preventContinuation: false, prevent_continuation: true }],
  ])("with %s that disagree the one that refuses counts", (_, stdout) => {
    for (const compat of BOTH) {
      const reply = replyOf("PreToolUse", { stdout }, compat);
      expect(reply.decision === "deny" || reply.continue === false).toBe(true);
    }
  });

  test.each(["deny", ["deny"], true])("a hookSpecificOutput that is %j may have been a denial", (value) => {
    const stdout = { hookSpecificOutput: value } as JsonValue;
    expect(decode("PreToolUse", { stdout })).toMatchObject({ failure: { kind: "invalid-output" } });
    expect(replyOf("PreToolUse", { stdout }, "faithful")).toEqual({});
  });

  test("a rule that fails closed denies after an exit code, whatever was printed unless it refuses", () => {
    const closes = (exitCode: number, stdout: JsonValue) =>
      agentaoCodec.decodeReply(
        { exitCode, stdout: typeof stdout === "string" ? stdout : JSON.stringify(stdout), stderr: "" },
        makeEvent("PreToolUse", {}, "agentao"),
        { failsClosed: true },
      );
    for (const said of ["Traceback", { additionalContext: "c" }, permission("allow")])
      expect(closes(1, said)).toMatchObject({ ok: false, failure: { kind: "exit", value: 1 } });
    expect(closes(1, permission("deny"))).toMatchObject({ ok: true, reply: { decision: "deny" } });
    expect(closes(0, "Traceback")).toMatchObject({ ok: true });
  });

  test("an exit code of 2 denies by default, and is a warning to the letter of the page", () => {
    const ended = { exitCode: 2, stderr: "not here" };
    expect(replyOf("PreToolUse", ended)).toEqual({ decision: "deny", reason: "not here" });
    expect(decode("PreToolUse", ended, "faithful")).toMatchObject({ failure: { kind: "exit", value: 2 } });
    const allows = { ...ended, stdout: permission("allow") };
    expect(replyOf("PreToolUse", allows)).toEqual({ decision: "deny", reason: "not here" });
    const denies = { ...ended, stdout: permission("deny", { permissionDecisionReason: "no" }) };
    for (const compat of BOTH)
      expect(replyOf("PreToolUse", denies, compat)).toEqual({ decision: "deny", reason: "no" });
  });

  test.each(["alow", 3, true])(
    "the word %j may be a misspelt denial, and is none to the letter of the page",
    (word) => {
      expect(decode("PreToolUse", { stdout: permission(word) })).toMatchObject({ failure: { kind: "invalid-output" } });
      expect(replyOf("PreToolUse", { stdout: permission(word) }, "faithful")).toEqual({});
    },
  );

  test("broken JSON is no answer, and is text to the letter of the page", () => {
    const stdout = '{"hookSpecificOutput": {"permissionDecision": "den';
    expect(decode("PreToolUse", { stdout })).toMatchObject({ failure: { kind: "invalid-output" } });
    expect(replyOf("PreToolUse", { stdout }, "faithful")).toEqual({ additionalContext: [stdout] });
  });
});

describe("at the end of a turn", () => {
  const goesOn = (followUp: string, stopReason: string | null = followUp): Reply => ({
    decision: "block",
    reason: followUp,
    followUp,
    ...(stopReason === null ? {} : { specific: { stopReason } }),
  });
  const DEFAULT = "A hook asked the agent to continue";

  test("AG-S1: an exit code of 2 asks for one more iteration, with stderr or a default text", () => {
    for (const compat of BOTH) {
      expect(replyOf("Stop", { exitCode: 2, stderr: " test it \n" }, compat)).toEqual(goesOn("test it"));
      expect(replyOf("Stop", { exitCode: 2, stdout: { decision: "x" } }, compat)).toEqual(goesOn(DEFAULT));
    }
    expect(decode("Stop", { exitCode: 1 })).toMatchObject({ failure: { kind: "exit" } });
  });

  test.each<[JsonValue, Reply]>([
    [{ decision: "block", reason: "more" }, goesOn("more")],
    [{ decision: "block" }, {}],
    [{ decision: "block", reason: 3 }, {}],
    [{ force_continue: true, follow_up_message: "again" }, goesOn("again", null)],
    [{ forceContinue: true }, goesOn(DEFAULT, null)],
    [{ forceContinue: true, stop_reason: "why" }, goesOn("why")],
    [{ force_continue: false, follow_up_message: "again" }, {}],
    [{ type: "hook_stopped_continuation", message: "not yet" }, goesOn("not yet")],
    [{ preventContinuation: true }, goesOn(DEFAULT)],
    [{ preventContinuation: true, stopReason: "why" }, goesOn("why")],
    [{ decision: "block", reason: "more", stopReason: "why" }, goesOn("more", "why")],
  ])("AG-S2: %j asks for %j", (stdout, reply) => {
    for (const compat of BOTH) expect(replyOf("Stop", { stdout }, compat)).toEqual(reply);
  });

  test.each<[JsonValue, Reply]>([
    [{ continue: false, decision: "block", reason: "more" }, { specific: { stopReason: "more" } }],
    [{ continue: false, preventContinuation: true }, {}],
    [{ continue: false, force_continue: true, stopReason: "why" }, { specific: { stopReason: "why" } }],
    [
      { continue: false, blockingError: "bad" },
      { continue: false, stopReason: "bad", specific: { blockingError: "bad" } },
    ],
    [
      { force_continue: true, blocking_error: "bad" },
      { continue: false, stopReason: "bad", specific: { blockingError: "bad" } },
    ],
  ])("AG-S3: %j asks for nothing more: %j", (stdout, reply) => {
    expect(replyOf("Stop", { stdout })).toEqual(reply);
  });

  test.each<[JsonValue, Reply]>([
    [{ suppressOutput: true }, { suppressOutput: true }],
    [{ suppressOutput: false }, {}],
    [{ system_message: "m" }, { systemMessage: "m" }],
    [{ hookSpecificOutput: { additionalContext: "c" } }, { additionalContext: ["c"] }],
    [{ hookSpecificOutput: { additionalContext: ["c", "d"] } }, { additionalContext: ["c", "d"] }],
    [{ additionalContext: "c" }, { additionalContext: ["c"] }],
    ["plain words", {}],
  ])("AG-S4: %j means %j", (stdout, reply) => {
    expect(replyOf("Stop", { stdout })).toEqual(reply);
  });
});

describe("at other events", () => {
  test.each(["SessionStart", "SessionEnd", "PreCompact"])("an error at %s is recorded, and stops nothing", (event) => {
    const decoded = decode(event, { stdout: { attachment_type: "hook_blocking_error", payload: { message: "no" } } });
    expect(decoded).toEqual({
      ok: true,
      reply: { specific: { blockingError: "no" } },
      ignored: [expect.stringContaining("blockingError")],
    });
  });

  test.each(["UserPromptSubmit", "PreToolUse"])("an attachment of an unknown type is no answer at %s", (event) => {
    for (const misspelt of ["attachment_type", "attachmentType"]) {
      const attachment = { [misspelt]: "hook_bloking_error", payload: { message: "no" } };
      for (const stdout of [attachment, [attachment]]) {
        expect(decode(event, { stdout })).toMatchObject({ ok: false, failure: { kind: "invalid-output" } });
      }
    }
  });

  test("no answer can stop a compaction", () => {
    const all = { blockingError: "no", continue: false, decision: "block", additionalContext: "c" };
    for (const exitCode of [0, 1, 2]) {
      const decoded = decode("PreCompact", { stdout: all, exitCode, stderr: "no" });
      if (decoded.ok) expect(decoded.reply).toEqual({ specific: { blockingError: "no" } });
    }
  });

  test("a tool's result may be blocked, and text may be added to it", () => {
    for (const event of ["PostToolUse", "PostToolUseFailure"]) {
      expect(replyOf(event, { stdout: { blockingError: "no", additionalContext: "c" } })).toEqual({
        decision: "block",
        reason: "no",
        additionalContext: ["c"],
      });
      expect(decode(event, { exitCode: 2, stderr: "no" })).toMatchObject({ failure: { kind: "exit" } });
      expect(replyOf(event, { stdout: "log line" })).toEqual({});
    }
  });
});

test("an answer over HTTP is read as output", () => {
  const answer = (status: number, body: string) =>
    agentaoCodec.decodeHttpReply({ status, contentType: "", body }, makeEvent("PreToolUse", {}, "agentao"));
  expect(answer(200, "")).toEqual({ ok: true, reply: {} });
  expect(answer(200, '{"blockingError":"no"}')).toMatchObject({ reply: { decision: "deny" } });
  expect(answer(200, "{")).toMatchObject({ failure: { kind: "invalid-output" } });
  expect(answer(500, "{}")).toMatchObject({ failure: { kind: "unavailable", value: 500 } });
});

describe("any output", () => {
  test("is read without a throw at any depth", () => {
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    for (const compat of BOTH) {
      expect(replyOf("PreToolUse", { stdout: `{"blockingError": ${deep}}` }, compat).decision).toBe("deny");
      expect(decode("PreToolUse", { stdout: `{"decision": ${deep}}` }, compat).ok).toBe(compat === "faithful");
    }
  });

  const key = fc.constantFrom(
    ..."blockingError preventContinuation stopReason additionalContext decision reason continue type payload".split(
      " ",
    ),
    "hookSpecificOutput",
    "permissionDecision",
    "force_continue",
  );
  const words = fc.constantFrom("allow", "deny", "ask", "block", "hook_blocking_error", "hook_success", "", "x");
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      words,
      fc.boolean(),
      fc.constant(null),
      fc.nat(3),
      tie("object"),
      tie("list"),
    ),
    object: fc.dictionary(key, tie("value"), { maxKeys: 4 }),
    list: fc.array(tie("value"), { maxLength: 2 }),
  }));

  test("is read without a throw, and is never a permission", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...EVENTS),
        fc.oneof(value, fc.string()),
        fc.integer({ min: 0, max: 3 }),
        fc.constantFrom(...BOTH),
        (event, stdout, exitCode, compat) => {
          const decoded = decode(event, { stdout: stdout as JsonValue, exitCode }, compat);
          if (decoded.ok) expect(decoded.reply.decision).not.toBe("allow");
        },
      ),
      { numRuns: 500 },
    );
  });

  test("next to an exit code of 2, or a refusal, opens no gate", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("PreToolUse", "UserPromptSubmit"),
        fc.dictionary(key, value as fc.Arbitrary<JsonValue>),
        (event, stdout) => {
          const refused = { ...stdout, blockingError: "no" };
          for (const ended of [{ stdout, exitCode: 2 }, { stdout: refused }]) {
            const decoded = decode(event, ended);
            if (decoded.ok) expect(["deny", "block"]).toContain(decoded.reply.decision);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
