import { describe, expect, test } from "vitest";
import { recognisedDialect } from "../../src/cli/event-dialect.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { DIALECTS } from "../../src/dialects/registry.ts";
import type { HookEvent } from "../../src/event.ts";
import { contractOf } from "../../src/events/lookup.ts";
import type { JsonObject } from "../../src/json.ts";
import fc from "../helpers/fc.ts";

/** The agent of a payload can be recognised for every payload that an agent sends, and for nothing else. */

/** Have the same payloads as Claude Code, and are recognised as Claude Code. */
const ALIKE = ["hookbox", "patterns"];
const families = Object.values(DIALECTS).filter(({ name }) => !ALIKE.includes(name));

const TOOLS = ["Bash", "Write", "Read", "mcp__notes__find", "strange"];
const words = fc.string({ unit: "grapheme", maxLength: 20 });
const input = fc.dictionary(fc.constantFrom("command", "file_path", "path", "query", "x"), words);

/** Returns an event as in the engine, with some of its optional fields. */
function sample(dialect: string, name: string): fc.Arbitrary<HookEvent> {
  const required = contractOf(name, dialect)?.required ?? [];
  const isAboutTool = required.includes("tool_name") || /^(Post|Pre)ToolUse/.test(name);
  const tool = isAboutTool ? { tool_name: fc.constantFrom(...TOOLS), tool_input: input } : {};
  const fields = Object.fromEntries(required.filter((field) => !(field in tool)).map((field) => [field, words]));
  // Fields that agents always send at some events, which distinguish two agents with the same event name.
  const always = { last_assistant_message: words, notification_type: words };
  const sometimes = { session_id: words, cwd: words, prompt: words, message: words };
  // Claude Code sends its transcript's path with each event.
  const path = fc.uuid().map((id) => `/home/ann/.claude/projects/shop/${id}.jsonl`);
  const transcript = dialect === "claude-code" ? { transcript_path: path } : {};
  return fc
    .tuple(fc.record({ ...fields, ...tool, ...always, ...transcript }), fc.record(sometimes, { requiredKeys: [] }))
    .map(([known, more]) => ({ ...more, ...known }))
    .map((payload) => ({ name, dialect, payload: { ...payload, hook_event_name: name } as JsonObject }));
}

const recognisedBy = (payload: JsonObject): readonly string[] =>
  Object.values(DIALECTS)
    .filter((dialect) => dialect.recognises(payload))
    .map(({ name }) => name);

const eventsOf = ({ eventNames }: Dialect): readonly string[] => [...new Set(Object.values(eventNames))];

describe.each(families.map((dialect) => [dialect.name, dialect] as const))("%s", (name, dialect) => {
  test("recognises what its agent sends at each of its events, and no other dialect does", async () => {
    for (const event of eventsOf(dialect)) {
      await fc.assert(
        fc.asyncProperty(sample(name, event), async (sent) => {
          const payload = JSON.parse(dialect.codec.encodePayload(sent)) as JsonObject;
          expect([event, ...recognisedBy(payload)]).toEqual([event, name]);
          expect((await recognisedDialect(payload)).name).toBe(name);
        }),
        { numRuns: 15 },
      );
    }
  });

  test("reads the same event from what its agent sends", () => {
    for (const event of eventsOf(dialect)) {
      fc.assert(
        fc.property(sample(name, event), (sent) => {
          const payload = JSON.parse(dialect.codec.encodePayload(sent)) as JsonObject;
          expect(dialect.decodeEvent(payload, undefined)).toMatchObject({ ok: true, name: event });
        }),
        { numRuns: 5 },
      );
    }
  });
});

test.each(ALIKE)("%s sends the same as Claude Code, and is recognised as Claude Code", (name) => {
  const dialect = DIALECTS[name] as Dialect;
  for (const event of ["PreToolUse", "Stop", "UserPromptSubmit"]) {
    fc.assert(
      fc.property(sample("claude-code", event), (sent) => {
        const payload = JSON.parse(dialect.codec.encodePayload(sent)) as JsonObject;
        expect(recognisedBy(payload)).toEqual(["claude-code"]);
      }),
      { numRuns: 10 },
    );
  }
});

test("recognising returns yes or no for any value", () => {
  const names = Object.values(DIALECTS).flatMap(({ eventNames }) => Object.keys(eventNames));
  const value = fc.oneof(fc.constantFrom(...names), fc.jsonValue());
  const fields = [
    "hook_event_name",
    "event",
    "data",
    "hook",
    "name",
    "type",
    "ctx",
    "context",
    "tool_name",
    "toolName",
  ];
  fc.assert(
    fc.property(fc.dictionary(fc.oneof(fc.constantFrom(...fields), words), value), (payload) => {
      for (const dialect of Object.values(DIALECTS)) {
        expect(typeof dialect.recognises(payload as JsonObject)).toBe("boolean");
        dialect.decodeEvent(payload as JsonObject, undefined);
      }
    }),
    { numRuns: 500 },
  );
});

test.each<[string, JsonObject, RegExp]>([
  ["nothing", {}, /matches no known agent: it has no fields/],
  ["an event of nobody", { hook_event_name: "Foo", x: 1 }, /it has hook_event_name "Foo", x$/],
  ["a tool call without an event", { tool_name: "Bash" }, /it has tool_name/],
  ["control characters", { "event\u001b[31m": "a\nb" }, /^[^\u0000-\u001f]*$/],
])("%s belongs to no agent, and its fields are named", (_, payload, message) => {
  return expect(recognisedDialect(payload)).rejects.toThrow(
    expect.objectContaining({
      code: "HOOK_PAYLOAD_INVALID",
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/--dialect NAME: hookbox, claude-code, .*patterns/),
    }),
  );
});
