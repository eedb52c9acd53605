import { describe, expect, test } from "vitest";
import type { DecodedReply } from "../../../src/codec.ts";
import { openclaw } from "../../../src/dialects/openclaw/dialect.ts";
import { OPENCLAW_EVENTS } from "../../../src/dialects/openclaw/event-names.ts";
import { contractOf, denialWord } from "../../../src/events/lookup.ts";
import type { JsonObject, JsonValue } from "../../../src/json.ts";
import type { Verdict } from "../../../src/verdict.ts";
import fc from "../../helpers/fc.ts";
import { makeEvent } from "../../helpers/rules.ts";
import { makeVerdict } from "../replies.ts";

const nameOf = (hook: string): string => OPENCLAW_EVENTS[hook] as string;
const eventOf = (hook: string, payload: JsonObject = {}) => makeEvent(nameOf(hook), payload, "openclaw");

/** Returns a verdict as a hook's result. */
function resultOf(hook: string, verdict: Partial<Verdict>, payload: JsonObject = {}): JsonObject {
  const reply = openclaw.encodeReply(makeVerdict(nameOf(hook), verdict), eventOf(hook, payload));
  expect(reply.exitCode).toBe(0);
  expect(reply.stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(reply.stdout) as JsonObject;
}

/** Returns what a hook with this output answers. */
const said = (hook: string, stdout: JsonValue, payload: JsonObject = {}): DecodedReply =>
  openclaw.codec.decodeReply({ exitCode: 0, stdout: JSON.stringify(stdout), stderr: "" }, eventOf(hook, payload));

describe("a verdict", () => {
  const read = { tool_name: "Read", tool_input: { file_path: "a" } };
  test.each<[string, Partial<Verdict>, JsonObject]>([
    ["before_tool_call", {}, {}],
    ["before_tool_call", { decision: "allow", reason: "fine" }, {}],
    ["before_tool_call", { decision: "deny", reason: "no" }, { block: true, blockReason: "no" }],
    ["before_tool_call", { continue: false, stopReason: "over" }, { block: true, blockReason: "over" }],
    [
      "before_tool_call",
      { cancelled: true },
      { block: true, blockReason: "hookbox was cancelled before all rules had answered" },
    ],
    ["before_tool_call", { updatedInput: { file_path: "b" } }, { params: { path: "b" } }],
    [
      "before_tool_call",
      { decision: "ask", reason: "sure?" },
      { requireApproval: { title: "Run read", description: "sure?" } },
    ],
    [
      "before_tool_call",
      {
        decision: "ask",
        approval: { title: "T", description: "D", severity: "critical" },
        updatedInput: { file_path: "b" },
      },
      { params: { path: "b" }, requireApproval: { title: "T", description: "D", severity: "critical" } },
    ],
    ["before_agent_run", {}, { outcome: "pass" }],
    ["before_agent_run", { decision: "block", reason: "no" }, { outcome: "block", reason: "no", message: "no" }],
    ["before_agent_run", { cancelled: true }, expect.objectContaining({ outcome: "block" })],
    ["before_agent_finalize", {}, {}],
    ["before_agent_finalize", { decision: "block", reason: "test it" }, { action: "revise", reason: "test it" }],
    ["before_agent_finalize", { continue: false, stopReason: "enough" }, { action: "finalize", reason: "enough" }],
    ["before_agent_finalize", { cancelled: true }, {}],
    ["before_install", { decision: "block", reason: "no" }, { block: true, blockReason: "no" }],
    ["message_sending", { decision: "block" }, { cancel: true }],
    ["message_sending", { updatedOutput: "clean" }, { content: "clean" }],
    ["reply_payload_sending", { updatedOutput: { text: "clean" } }, { payload: { text: "clean" } }],
    ["before_message_write", { decision: "block" }, { block: true }],
    ["tool_result_persist", { updatedOutput: { content: "clean" } }, { message: { content: "clean" } }],
    [
      "before_prompt_build",
      { additionalContext: "text", specific: { systemPrompt: "s" } },
      { prependContext: "text", systemPrompt: "s" },
    ],
    ["before_model_resolve", { specific: { modelOverride: "m" } }, { modelOverride: "m" }],
    ["inbound_claim", { specific: { handled: true, reply: "r" } }, { handled: true, reply: "r" }],
    ["inbound_claim", { specific: { reply: "r" } }, {}],
    ["subagent_spawning", { decision: "block", reason: "no" }, { status: "error", error: "no" }],
    ["resolve_exec_env", { specific: { env: { A: "1" } } }, { A: "1" }],
    ["message_sent", { systemMessage: "told" }, {}],
  ])("at %s of %j is %j", (hook, verdict, result) => {
    expect(resultOf(hook, verdict, read)).toEqual(result);
  });

  test("has its messages to the user on standard error", () => {
    const reply = openclaw.encodeReply(makeVerdict("MessageSent", { systemMessage: "told" }), eventOf("message_sent"));
    expect(reply).toEqual({ stdout: "{}\n", stderr: "told\n", exitCode: 0 });
  });

  test.each(Object.keys(OPENCLAW_EVENTS))("that refuses is not read as consent at %s", (hook) => {
    const word = denialWord(contractOf(nameOf(hook), "openclaw")!);
    if (word === undefined) return expect(resultOf(hook, {})).toEqual({});
    const decoded = said(hook, resultOf(hook, { decision: word, reason: "no" }));
    expect(decoded).toMatchObject({ ok: true, reply: { decision: word } });
  });
});

describe("a hook's result", () => {
  test.each<[string, JsonObject, JsonObject]>([
    ["before_tool_call", { block: true, blockReason: "no" }, { decision: "deny", reason: "no" }],
    ["before_tool_call", { block: false, params: { path: "b" } }, { updatedInput: { file_path: "b" } }],
    [
      "before_tool_call",
      { requireApproval: { title: "T", description: "sure?" } },
      { decision: "ask", reason: "sure?", approval: { title: "T", description: "sure?" } },
    ],
    ["before_tool_call", { requireApproval: { title: "T", description: "d" }, block: true }, { decision: "deny" }],
    ["before_tool_call", { block: true, requireApproval: { title: "T", description: "d" } }, { decision: "deny" }],
    ["before_agent_run", { outcome: "pass" }, {}],
    ["before_agent_run", { outcome: "block", message: "m" }, { decision: "block", reason: "m" }],
    ["before_agent_finalize", { action: "revise", reason: "more" }, { decision: "block", reason: "more" }],
    ["before_agent_finalize", { action: "finalize", reason: "done" }, { continue: false, stopReason: "done" }],
    ["before_agent_finalize", { action: "continue" }, {}],
    ["message_sending", { cancel: true }, { decision: "block" }],
    ["message_sending", { cancel: false, content: "c" }, { updatedOutput: "c" }],
    [
      "before_prompt_build",
      { prependContext: "a", systemPrompt: "s" },
      { additionalContext: ["a"], specific: { systemPrompt: "s" } },
    ],
    ["inbound_claim", { handled: true, reply: "r" }, { specific: { handled: true, reply: "r" } }],
    ["subagent_spawning", { status: "error", error: "no" }, { decision: "block", reason: "no" }],
    ["resolve_exec_env", { A: "1", B: "2" }, { specific: { env: { A: "1", B: "2" } } }],
    ["message_sent", { block: true }, {}],
  ])("of %s that is %j says %j", (hook, result, reply) => {
    const decoded = said(hook, result, { tool_name: "Read" });
    expect(decoded).toMatchObject({ ok: true, reply });
    if (decoded.ok && Object.keys(reply).length === 0) expect(decoded.reply).toEqual({});
  });

  test.each<[string, JsonValue]>([
    ["before_tool_call", { block: "true" }],
    ["before_tool_call", { block: 1 }],
    ["before_tool_call", { block: null }],
    ["before_tool_call", { blockReason: {} }],
    ["before_tool_call", { params: [] }],
    ["before_tool_call", { requireApproval: true }],
    ["before_tool_call", [{ block: true }]],
    ["before_tool_call", "block"],
    ["before_agent_run", {}],
    ["before_agent_run", { outcome: "allow" }],
    ["before_agent_finalize", { action: "again" }],
    ["before_agent_finalize", { action: "revise", reason: 7 }],
    ["message_sending", { cancel: "yes" }],
    ["message_sending", { content: 7 }],
    ["subagent_spawning", { status: "maybe" }],
    ["resolve_exec_env", { A: 1 }],
  ])("of %s that cannot be read is a failure: %j", (hook, result) => {
    expect(said(hook, result)).toMatchObject({ ok: false, failure: { kind: "invalid-output" } });
  });

  test("is none if nothing is printed, a refusal with exit code 2, and a failure with any other", () => {
    const ended = (exitCode: number, stdout = "", hook = "before_tool_call") =>
      openclaw.codec.decodeReply({ exitCode, stdout, stderr: "why\nmore" }, eventOf(hook));
    expect(ended(0)).toEqual({ ok: true, reply: {} });
    expect(ended(2, '{"block":false}')).toEqual({ ok: true, reply: { decision: "deny", reason: "why" } });
    expect(ended(1, "{}")).toMatchObject({ ok: false, failure: { kind: "exit", value: 1 } });
    expect(ended(2, "", "message_sent")).toMatchObject({ ok: false, failure: { kind: "exit" } });
    expect(ended(0, "fine")).toMatchObject({ ok: false, failure: { kind: "invalid-output" } });
  });

  test("is reported with fields that the hook ignores", () => {
    expect(said("before_tool_call", { blok: true })).toMatchObject({
      ok: true,
      reply: {},
      ignored: [expect.stringContaining("blok")],
    });
  });

  test("may come from a server", () => {
    const answer = (status: number, body: string) =>
      openclaw.codec.decodeHttpReply({ status, contentType: "application/json", body }, eventOf("before_tool_call"));
    expect(answer(200, '{"block":true}')).toMatchObject({ ok: true, reply: { decision: "deny" } });
    expect(answer(500, "{}")).toMatchObject({ ok: false, failure: { kind: "unavailable" } });
  });

  test("of any shape is read or a failure, and `block: true` is never read as anything but a refusal", () => {
    const fields = fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom("blockReason", "params", "requireApproval", "__proto__")),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fields, (rest) => {
        const decoded = said("before_tool_call", { ...(rest as JsonObject), block: true });
        if (decoded.ok) expect(decoded.reply.decision).toBe("deny");
        else expect(decoded.failure.kind).toBe("invalid-output");
      }),
    );
  });
});
