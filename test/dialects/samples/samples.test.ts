import { describe, expect, test } from "vitest";
import { agentFor, samplesOf } from "../../../src/cli/hooks/sample-events.ts";
import type { Dialect } from "../../../src/dialects/dialect.ts";
import { knownTools } from "../../../src/dialects/known-tools.ts";
import { DIALECTS } from "../../../src/dialects/registry.ts";
import { samplesFor } from "../../../src/dialects/samples-registry.ts";
import { contractOf } from "../../../src/events/lookup.ts";
import type { JsonObject } from "../../../src/json.ts";
import { makeEvent } from "../../helpers/rules.ts";
import { AUTOHAND_STRUCTURE, PAGE_FIELDS } from "./page-fields.ts";

/** The samples with which users try hooks: each one is what its agent sends, field by field. */

const CWD = "/home/u/project";
const { hookbox, ...AGENTS } = DIALECTS;
const loaded = Object.values(AGENTS).map((dialect) => ({
  dialect,
  samples: (event: string, cwd: string) => samplesFor(dialect.name, event, cwd),
}));
const all = loaded.flatMap(({ dialect, samples }) =>
  Object.keys(dialect.eventNames).map((event) => ({
    dialect,
    event,
    name: `${dialect.name} ${event}`,
    samples: samples(event, CWD),
  })),
);

const onStdin = (dialect: Dialect, name: string, payload: JsonObject): JsonObject =>
  JSON.parse(dialect.codec.encodePayload(makeEvent(name, payload, dialect.name))) as JsonObject;

function decoded(dialect: Dialect, sample: JsonObject): { name: string; payload: JsonObject } {
  const result = dialect.decodeEvent(sample, undefined);
  if (!result.ok) throw new Error(result.message);
  return result;
}

const withoutNulls = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));

/** Returns the fields by the page's names. */
function fieldsOf({ name }: Dialect, payload: JsonObject): readonly string[] {
  if (name === "agentao" && "data" in payload) return Object.keys(payload["data"] as JsonObject);
  if (name === "autohand") return Object.keys(withoutNulls(payload));
  if (name !== "openclaw") return Object.keys(payload);
  const { event, ctx } = payload as { event: JsonObject; ctx: JsonObject };
  return [...Object.keys(event), ...Object.keys(ctx).map((field) => `ctx.${field}`)];
}

describe.each(all)("$name", ({ dialect, event, samples }) => {
  const canonical = dialect.eventNames[event] as string;

  test("has samples that are this event, and only this agent's", () => {
    expect(samples.length).toBeGreaterThan(0);
    for (const sample of samples) {
      expect(decoded(dialect, sample).name).toBe(canonical);
      const known = Object.values(DIALECTS).filter((one) => one.recognises(sample));
      expect(known.map(({ name }) => name)).toEqual(
        // Its payloads are Claude Code's, and cannot be distinguished from them.
        [dialect.name === "patterns" ? "claude-code" : dialect.name],
      );
    }
  });

  test("has the fields of the page, and no others", () => {
    const fields = PAGE_FIELDS[dialect.name]?.[event]?.split(" ").filter((field) => field !== "");
    if (fields === undefined) throw new Error("no page has this event");
    const required = fields.filter((field) => !field.endsWith("?"));
    const known = fields.map((field) => field.replace(/\?$/, ""));
    for (const sample of samples) {
      const given = fieldsOf(dialect, onStdin(dialect, canonical, decoded(dialect, sample).payload));
      expect(given.filter((field) => !known.includes(field))).toEqual([]);
      expect(required.filter((field) => !given.includes(field))).toEqual([]);
    }
  });

  test("reaches a hook unchanged", () => {
    const name = event === "post-response" ? "stop" : event;
    for (const sample of samples) {
      const told = onStdin(dialect, canonical, decoded(dialect, sample).payload);
      const expected = "hook_event_name" in sample ? { ...sample, hook_event_name: name } : sample;
      expect(dialect.name === "autohand" ? withoutNulls(told) : told).toEqual(expected);
    }
  });

  test("can be judged by a rule", () => {
    const { required = [] } = contractOf(canonical, dialect.name) ?? {};
    for (const sample of samples)
      for (const field of required) expect(decoded(dialect, sample).payload[field]).toEqual(expect.any(String));
  });
});

test.each(Object.keys(AGENTS["autohand"]?.eventNames ?? {}))("%s has every field of Autohand's structure", (event) => {
  const { dialect, samples } = loaded.find((one) => one.dialect.name === "autohand") as (typeof loaded)[number];
  for (const sample of samples(event, CWD)) {
    const { name, payload } = decoded(dialect, sample);
    expect(Object.keys(onStdin(dialect, name, payload))).toEqual(expect.arrayContaining(AUTOHAND_STRUCTURE.split(" ")));
  }
});

describe.each(Object.keys((hookbox as Dialect).eventNames))("a hook of hookbox's own at %s", (event) => {
  test("is tried with an agent's event, in canonical form", () => {
    const ours = hookbox as Dialect;
    const agent = agentFor(ours, event);
    const samples = samplesOf(agent, event, CWD);
    expect(samples.length).toBeGreaterThan(0);
    for (const payload of samples) {
      const told = onStdin(ours, event, payload);
      expect(ours.decodeEvent(told, undefined)).toMatchObject({ ok: true, name: event });
      expect(told).toEqual({ ...payload, hook_event_name: event });
      // Fields of Claude Code only.
      if (agent.name !== "claude-code" && agent.name !== "agentao")
        expect(
          Object.keys(told).filter((field) => /^(transcript_path|permission_mode|prompt_id)$/.test(field)),
        ).toEqual([]);
    }
  });
});

test.each(loaded)("each tool with a name of $dialect.name's own has a sample", ({ dialect, samples }) => {
  const event = Object.keys(dialect.eventNames).find((name) => dialect.eventNames[name] === "PreToolUse") as string;
  const { toolSpellings = () => [] } = dialect.codec;
  const shown = samples(event, CWD).map((sample) => decoded(dialect, sample).payload["tool_name"]);
  const own = knownTools(dialect.codec).filter((name) =>
    toolSpellings(name).some((spelling) => spelling.toLowerCase() !== name.toLowerCase()),
  );
  expect(own.filter((name) => !toolSpellings(name).some((spelling) => shown.includes(spelling)))).toEqual([]);
});

test.each([
  ["docker-agent", "shell", "pre_tool_use", ["cmd", "cwd"]],
  ["claude-code", "Bash", "PreToolUse", ["command", "description"]],
  ["autohand", "delete_path", "pre-tool", ["path"]],
])("a call of %s's %s has the inputs of its page", (agent, tool, event, fields) => {
  const samples = loaded.find(({ dialect }) => dialect.name === agent)?.samples(event, CWD) ?? [];
  const sample = samples.find((one) => one["tool_name"] === tool);
  expect(Object.keys((sample?.["tool_input"] ?? {}) as JsonObject)).toEqual(fields);
});
