import { describe, expect, test } from "vitest";
import { dockerAgentCodec } from "../../../src/dialects/docker-agent/codec.ts";
import { dockerAgent } from "../../../src/dialects/docker-agent/dialect.ts";
import { AGENT_EVENTS, agentEvent, canonicalEvent } from "../../../src/dialects/docker-agent/spelling.ts";
import { contractOf, denialWord } from "../../../src/events/lookup.ts";
import type { JsonObject } from "../../../src/json.ts";
import { makeEvent } from "../../helpers/rules.ts";
import { makeVerdict } from "../replies.ts";
import { decode } from "./docker-hooks.ts";

describe("names of events", () => {
  test("are 28, and the same in both directions", () => {
    expect(AGENT_EVENTS).toHaveLength(28);
    for (const name of AGENT_EVENTS) expect(agentEvent(canonicalEvent(name)!)).toBe(name);
  });

  test.each(["toString", "__proto__", "PreToolUse", ""])("%j is none", (name) => {
    expect(canonicalEvent(name)).toBeUndefined();
  });
});

describe("a payload", () => {
  const PAYLOADS: readonly (readonly [string, object, object])[] = [
    [
      "pre_tool_use",
      { tool_name: "shell", tool_input: { cmd: "ls" } },
      { tool_name: "Bash", tool_input: { command: "ls" } },
    ],
    ["pre_compact", { source: "overflow" }, { trigger: "overflow" }],
    ["session_start", { source: "startup" }, { source: "startup" }],
    ["stop", { stop_response: "done", agent_name: "root" }, { last_assistant_message: "done", agent_name: "root" }],
    ["subagent_stop", { agent_name: "helper" }, { agent_type: "helper" }],
    [
      "on_error",
      { notification_level: "error", notification_message: "m" },
      { notification_type: "error", message: "m" },
    ],
  ];

  test.each(PAYLOADS)("of %s is read and written: %j", (name, theirs, canonical) => {
    const decoded = dockerAgent.decodeEvent({ hook_event_name: name, cwd: "/w", ...theirs }, undefined);
    if (!decoded.ok) throw new Error(decoded.message);
    expect(decoded).toEqual({
      ok: true,
      name: canonicalEvent(name),
      payload: { hook_event_name: canonicalEvent(name), cwd: "/w", ...canonical },
    });
    const event = { ...makeEvent(decoded.name, decoded.payload, "docker-agent") };
    expect(JSON.parse(dockerAgentCodec.encodePayload(event))).toEqual({ hook_event_name: name, cwd: "/w", ...theirs });
  });

  test.each([{}, { cwd: "" }])("without a working directory has hookbox's own: %j", (more) => {
    const decoded = dockerAgent.decodeEvent({ hook_event_name: "turn_start", ...more }, undefined);
    expect(decoded).toMatchObject({ ok: true, payload: { cwd: process.cwd() } });
  });

  test("may have its event named by the command line, in either spelling", () => {
    for (const name of ["tool_guard", "ToolGuard"]) {
      expect(dockerAgent.decodeEvent({ tool_name: "shell" }, name)).toMatchObject({ ok: true, name: "ToolGuard" });
      expect(dockerAgent.decodeEvent({ hook_event_name: "tool_guard" }, name)).toMatchObject({ ok: true });
      expect(dockerAgent.decodeEvent({ hook_event_name: "stop" }, name)).toMatchObject({ ok: false });
    }
    expect(dockerAgent.decodeEvent({}, undefined).ok).toBe(false);
    expect(dockerAgent.decodeEvent({ hook_event_name: "PreToolUse" }, undefined).ok).toBe(false);
    expect(dockerAgent.decodeEvent({ hook_event_name: 1 }, undefined).ok).toBe(false);
  });
});

describe("a verdict", () => {
  const encoded = (event: string, parts: Parameters<typeof makeVerdict>[1], payload: JsonObject = {}) => {
    const name = canonicalEvent(event)!;
    return dockerAgent.encodeReply(makeVerdict(name, parts), { name, payload });
  };
  const said = (event: string, parts: Parameters<typeof makeVerdict>[1]) => {
    const { stdout, stderr, exitCode } = encoded(event, parts);
    return { exitCode, stderr, json: stdout === "" ? undefined : JSON.parse(stdout) };
  };

  test("without an opinion prints nothing", () => {
    for (const event of AGENT_EVENTS) expect(said(event, {})).toEqual({ exitCode: 0, stderr: "", json: undefined });
  });

  test.each(AGENT_EVENTS)("that denies at %s is read back as a denial by a strict reader, with its reason", (event) => {
    const word = denialWord(contractOf(canonicalEvent(event)!, "docker-agent")!);
    if (word === undefined) return;
    const { stdout, exitCode } = encoded(event, { decision: word, reason: "no" });
    expect(exitCode).toBe(0);
    expect(decode(event, { stdout }, { strict: true })).toEqual({ ok: true, reply: { decision: word, reason: "no" } });
  });

  test("that stops the agent refuses", () => {
    expect(said("pre_tool_use", { continue: false, stopReason: "enough", decision: "deny" }).json).toEqual({
      hook_specific_output: {
        hook_event_name: "pre_tool_use",
        permission_decision: "deny",
        permission_decision_reason: "enough",
      },
    });
  });

  test.each(["allow", "ask"] as const)("of %s has the form of a permission", (decision) => {
    expect(said("tool_guard", { decision, reason: "r" }).json).toEqual({
      hook_specific_output: {
        hook_event_name: "tool_guard",
        permission_decision: decision,
        permission_decision_reason: "r",
      },
    });
  });

  test("that asks leaves permission_request to the user", () => {
    expect(said("permission_request", { decision: "ask" }).json).toBeUndefined();
  });

  test("has every kind of rewrite, in the agent's own fields", () => {
    expect(said("tool_input_transform", { updatedInput: { a: 1 } }).json.hook_specific_output.updated_input).toEqual({
      a: 1,
    });
    expect(
      said("tool_response_transform", { updatedOutput: { a: 1 } }).json.hook_specific_output.updated_tool_response,
    ).toBe('{"a":1}');
    expect(said("before_llm_call", { updatedMessages: [1] }).json.hook_specific_output.updated_messages).toEqual([1]);
    expect(said("before_compaction", { summary: "s" }).json.hook_specific_output.summary).toBe("s");
    expect(said("tool_guard", { metadata: { a: "b", n: 1 } }).json.hook_specific_output.metadata).toEqual({
      a: "b",
      n: "1",
    });
    expect(said("turn_start", { additionalContext: "c", systemMessage: "m" }).json).toEqual({
      system_message: "m",
      hook_specific_output: { hook_event_name: "turn_start", additional_context: "c" },
    });
  });

  test("of a cancelled dispatch is no permission, and no refusal at events without one", () => {
    expect(said("pre_tool_use", { cancelled: true }).exitCode).toBe(2);
    expect(said("stop", { cancelled: true }).exitCode).toBe(1);
    expect(said("stop", { cancelled: true }).stderr).not.toBe("");
  });
});

describe("an answer over HTTP", () => {
  const answer = (status: number, body: string) =>
    dockerAgentCodec.decodeHttpReply({ status, contentType: "", body }, makeEvent("ToolGuard", {}, "docker-agent"));

  test("is one object or nothing", () => {
    expect(answer(200, "")).toEqual({ ok: true, reply: {} });
    expect(answer(200, '{"decision":"block"}')).toEqual({ ok: true, reply: { decision: "deny" } });
    for (const body of ["text", "[]", "{} {}"])
      expect(answer(200, body)).toMatchObject({ failure: { kind: "invalid-output" } });
    expect(answer(403, '{"decision":"block"}')).toMatchObject({ failure: { kind: "unavailable", value: 403 } });
  });
});
