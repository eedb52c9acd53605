import { describe, expect, test } from "vitest";
import { openclaw } from "../../../src/dialects/openclaw/dialect.ts";
import { OPENCLAW_EVENTS } from "../../../src/dialects/openclaw/event-names.ts";
import type { JsonObject } from "../../../src/json.ts";
import fc from "../../helpers/fc.ts";
import { makeEvent } from "../../helpers/rules.ts";

/** Returns the canonical event of a line, or what is wrong with it. */
const decode = (line: JsonObject, named?: string) => openclaw.decodeEvent(line, named);
const payloadOf = (line: JsonObject): JsonObject => {
  const decoded = decode(line);
  if (!decoded.ok) throw new Error(decoded.message);
  return decoded.payload;
};
const encode = (name: string, payload: JsonObject): JsonObject =>
  JSON.parse(openclaw.codec.encodePayload(makeEvent(name, payload, "openclaw"))) as JsonObject;

const HOOKS = Object.keys(OPENCLAW_EVENTS);

describe("a line", () => {
  test("is a canonical payload: tools, fields and context with the names that guards know", () => {
    const line = {
      hook: "before_tool_call",
      event: { toolName: "exec", params: { command: "ls", background: true }, toolCallId: "c", runId: "r" },
      ctx: { agentId: "main", sessionId: "s", sessionKey: "k", workspaceDir: "/w", trace: { traceId: "t" } },
    };
    expect(payloadOf(line)).toEqual({
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "ls", run_in_background: true },
      tool_use_id: "c",
      run_id: "r",
      session_id: "s",
      cwd: "/w",
      context: { agent_id: "main", session_key: "k", trace: { traceId: "t" } },
    });
  });

  test.each([
    ["exec", "Bash", { command: "a" }, { command: "a" }],
    ["bash", "Bash", { command: "a" }, { command: "a" }],
    ["exec_command", "Bash", { command: "a" }, { command: "a" }],
    ["Exec", "Bash", { command: "a" }, { command: "a" }],
    ["read", "Read", { path: "a" }, { file_path: "a" }],
    ["write", "Write", { path: "a", content: "c" }, { file_path: "a", content: "c" }],
    ["edit", "Edit", { path: "a", oldText: "b", newText: "c" }, { file_path: "a", old_string: "b", new_string: "c" }],
    ["web_search", "WebSearch", { query: "q" }, { query: "q" }],
    ["web_fetch", "WebFetch", { url: "u" }, { url: "u" }],
    ["sessions_spawn", "Task", { task: "t" }, { prompt: "t" }],
    ["process", "process", { action: "list" }, { action: "list" }],
    ["apply_patch", "apply_patch", { input: "p" }, { input: "p" }],
    ["github__search", "github__search", { q: 1 }, { q: 1 }],
  ])("about the tool %s is about %s", (toolName, tool, params, input) => {
    expect(payloadOf({ hook: "before_tool_call", event: { toolName, params } })).toMatchObject({
      tool_name: tool,
      tool_input: input,
    });
  });

  test("shows a decoy field next to the one that the tool uses", () => {
    const params = { path: "/etc/shadow", file_path: "notes.md" };
    const { tool_input: input } = payloadOf({ hook: "before_tool_call", event: { toolName: "read", params } });
    expect(input).toEqual({ file_path: "/etc/shadow", path: "notes.md" });
  });

  test("shows parameters that are not an object", () => {
    expect(payloadOf({ hook: "before_tool_call", event: { toolName: "exec", params: "rm" } })).toMatchObject({
      tool_input: {},
      event: { params: "rm" },
    });
  });

  test.each([
    ["message_sending", { content: "hi", to: "x" }, { tool_response: "hi", to: "x" }],
    [
      "tool_result_persist",
      { toolName: "exec", message: { content: "x" } },
      { tool_name: "Bash", tool_response: { content: "x" } },
    ],
    [
      "after_tool_call",
      { toolName: "exec", params: {}, result: "r" },
      { tool_name: "Bash", tool_input: {}, tool_response: "r" },
    ],
    [
      "before_agent_finalize",
      { lastAssistantMessage: "m", stopHookActive: false },
      { last_assistant_message: "m", stop_hook_active: false },
    ],
    ["subagent_spawned", { agentId: "helper" }, { agent_type: "helper" }],
  ])("of %s has %j as %j", (hook, event, fields) => {
    expect(payloadOf({ hook, event })).toMatchObject(fields);
  });

  test.each(HOOKS)("of %s is recognised, and names its event in either spelling", (hook) => {
    const name = OPENCLAW_EVENTS[hook];
    expect(openclaw.recognises({ hook, event: {} })).toBe(true);
    expect(decode({ event: { toolName: "exec" } }, hook)).toMatchObject({ ok: true, name });
    expect(decode({ event: { toolName: "exec" } }, name)).toMatchObject({ ok: true, name });
  });

  test.each<[JsonObject, string | undefined, string]>([
    [{}, undefined, "no hook"],
    [{ event: {} }, undefined, "no hook"],
    [{ hook: 7, event: {} }, undefined, "hook must be a string"],
    [{ hook: "before_tool_cal", event: {} }, undefined, 'no hook "before_tool_cal"'],
    [{ hook: "toString", event: {} }, undefined, "no hook"],
    [{ hook: "PreToolUse", event: {} }, undefined, "no hook"],
    [{ hook: "before_tool_call" }, undefined, "event must be an object"],
    [{ hook: "before_tool_call", event: [] }, undefined, "event must be an object"],
    [{ hook: "before_tool_call", event: null }, undefined, "event must be an object"],
    [{ hook: "before_tool_call", event: { toolName: 7 } }, undefined, "toolName must be a string"],
    [{ hook: "message_sent", event: {}, ctx: "s" }, undefined, "ctx must be an object"],
    [{ hook: "message_sent", event: {} }, "before_tool_call", "the command line says"],
  ])("%j (named %s) is refused: %s", (line, named, message) => {
    expect(decode(line, named)).toEqual({ ok: false, message: expect.stringContaining(message) });
    if (named === undefined && message !== "toolName must be a string" && message !== "ctx must be an object")
      expect(openclaw.recognises(line)).toBe(false);
  });

  // As JSON parses it: there is no -0.
  const values = fc.jsonValue({ maxDepth: 2 }).map((one) => JSON.parse(JSON.stringify(one)) as JsonObject[string]);
  const keys = fc.oneof(
    fc.string(),
    fc.constantFrom(
      ..."params result content message payload toolCallId runId sessionId workspaceDir context event".split(" "),
    ),
    fc.constantFrom(
      ..."tool_name tool_input toolInput hook_event_name session_id cwd agentId as_written __proto__".split(" "),
    ),
  );
  const objects = fc.dictionary(keys, values) as fc.Arbitrary<JsonObject>;
  const tools = fc.constantFrom("exec", "read", "write", "edit", "web_search", "sessions_spawn", "process", "my_tool");

  test("is the same after reading and writing: no field of event or context is lost", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...HOOKS),
        objects,
        fc.option(objects, { nil: undefined }),
        fc.option(tools, { nil: undefined }),
        (hook, fields, ctx, tool) => {
          const { toolName: _, ...rest } = fields;
          const event = { ...rest, ...(tool === undefined ? {} : { toolName: tool }) };
          const line = { hook, event, ...(ctx === undefined ? {} : { ctx }) };
          const name = OPENCLAW_EVENTS[hook] as string;
          expect(encode(name, payloadOf(line))).toEqual(line);
        },
      ),
      { numRuns: 400 },
    );
  });

  test("is the line that a canonical event was read from", () => {
    const snake = fc.stringMatching(/^[a-z][a-z0-9]{0,4}(_[a-z][a-z0-9]{0,4}){0,2}$/);
    const canonical = fc.record({
      fields: fc.dictionary(snake, values),
      session: fc.option(fc.string(), { nil: undefined }),
      input: fc.dictionary(snake, values),
    });
    fc.assert(
      fc.property(fc.constantFrom(...HOOKS), canonical, (hook, { fields, session, input }) => {
        const name = OPENCLAW_EVENTS[hook] as string;
        const { event: _, context: __, cwd: ___, ...own } = fields as JsonObject;
        const payload: JsonObject = {
          ...own,
          hook_event_name: name,
          ...(session === undefined ? {} : { session_id: session }),
          tool_name: "Bash",
          tool_input: input as JsonObject,
        };
        expect(payloadOf(encode(name, payload))).toEqual(payload);
      }),
      { numRuns: 300 },
    );
  });

  test("of any shape is decoded or refused, and never throws", () => {
    const line = fc.record(
      { hook: fc.oneof(fc.constantFrom(...HOOKS), values), event: fc.oneof(objects, values), ctx: values },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(line, fc.option(fc.string(), { nil: undefined }), (one, named) => {
        const decoded = decode(one as JsonObject, named);
        expect(typeof decoded.ok).toBe("boolean");
        openclaw.recognises(one as JsonObject);
      }),
    );
  });
});
