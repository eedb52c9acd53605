import { callersFolder } from "../../caller.ts";
import type { EventName } from "../../events/table.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import type { DecodedEvent } from "../dialect.ts";
import { AGENTAO_EVENTS } from "./event-names.ts";
import { agentaoTools } from "./tools.ts";

/**
 * Converts between Agentao's input of a hook and the canonical event. Most events are an envelope `{event, data}` with
 * camelCase data. Two events have Claude Code's flat form.
 */

const FLAT_EVENTS: readonly string[] = ["Stop", "PreCompact"];

/**
 * Names in an envelope's data and the canonical names. The names are swapped, so that a field with either name is kept.
 */
const FIELDS: readonly (readonly [agent: string, canonical: string])[] = [
  ["userMessage", "prompt"],
  ["sessionId", "session_id"],
  ["toolName", "tool_name"],
  ["toolInput", "tool_input"],
  ["toolOutput", "tool_response"],
];
const PARTNER: ReadonlyMap<string, string> = new Map(
  FIELDS.flatMap(([one, other]) => [
    [one, other],
    [other, one],
  ]),
);

type Defaults = Readonly<Record<string, () => JsonValue>>;

const empty = (): JsonValue => "";
const cwd = (): JsonValue => callersFolder();
const nothing = (): JsonValue => null;
const tool: Defaults = { tool_input: () => ({}), session_id: empty };
const session: Defaults = { session_id: empty, cwd };
const flat: Defaults = {
  session_id: empty,
  transcript_path: nothing,
  cwd,
  permission_mode: () => "workspace-write",
};

/**
 * The default fields of each event, with canonical names, for fields that the agent or the embedding program does not
 * set.
 */
const DEFAULTS: Readonly<Partial<Record<EventName, Defaults>>> = {
  UserPromptSubmit: session,
  SessionStart: session,
  SessionEnd: session,
  PreToolUse: tool,
  PostToolUse: { ...tool, tool_response: empty },
  PostToolUseFailure: { ...tool, error: empty },
  Stop: {
    ...flat,
    stop_hook_active: () => false,
    last_assistant_message: empty,
    turn_end_reason: () => "final_response",
  },
  PreCompact: {
    ...flat,
    trigger: () => "auto",
    custom_instructions: empty,
    compaction_type: () => "full",
    reason: empty,
  },
};

/** Decodes an event. The command line may name the event if the payload does not. */
export function decodeEvent(payload: JsonObject, eventName: string | undefined): DecodedEvent {
  const { event, data, hook_event_name: flatName } = payload;
  const isEnvelope = event !== undefined || data !== undefined;
  const named = isEnvelope ? event : flatName;
  if (named !== undefined && typeof named !== "string") {
    return { ok: false, message: `${isEnvelope ? "event" : "hook_event_name"} must be a string` };
  }
  const agentName = named ?? eventName;
  if (agentName === undefined) return { ok: false, message: "the payload has no event, and none was named" };
  if (eventName !== undefined && agentName !== eventName) {
    return { ok: false, message: `the payload says it is ${agentName}, the command line says ${eventName}` };
  }
  const name = eventNamed(agentName);
  if (name === undefined) return { ok: false, message: `Agentao has no event "${agentName}"` };
  if (FLAT_EVENTS.includes(name) === isEnvelope) {
    const message = isEnvelope
      ? `the payload of ${name} is flat, without "event" and "data"`
      : `the payload of ${name} is an object with "event" and "data"`;
    return { ok: false, message };
  }
  if (isEnvelope && !isJsonObject(data)) return { ok: false, message: '"data" must be an object' };
  const fields = isJsonObject(data) ? renamed(data) : payload;
  const { tool_name: toolName } = fields;
  const spelled = typeof toolName === "string" ? { tool_name: agentaoTools.canonicalTool(toolName) } : {};
  const complete = withDefaults(name, { ...fields, ...spelled });
  // Agentao starts its hooks, and therefore hookbox, in its own working directory.
  const canonical = { cwd: callersFolder(), ...inOtherWords(complete), hook_event_name: name };
  return { ok: true, name, payload: canonical };
}

/** Returns an event as an object in Agentao's format. */
export function agentPayload(name: string, payload: JsonObject): JsonObject {
  const known = eventNamed(name);
  const complete = known === undefined ? payload : withDefaults(known, payload);
  if (FLAT_EVENTS.includes(name)) return { ...complete, hook_event_name: name };
  const { hook_event_name: _, cwd: directory, ...rest } = inOtherWords(complete);
  const { tool_name: toolName } = rest;
  // Agentao does not send the directory to hooks of tools, because it starts the hooks in this directory.
  const isNamed = known === undefined || DEFAULTS[known]?.["cwd"] !== undefined;
  const fields = isNamed && directory !== undefined ? { ...rest, cwd: directory } : rest;
  const spelled = typeof toolName === "string" ? { tool_name: agentaoTools.canonicalTool(toolName) } : {};
  return { event: name, data: renamed({ ...fields, ...spelled }) };
}

function eventNamed(name: string): EventName | undefined {
  return Object.hasOwn(AGENTAO_EVENTS, name) ? AGENTAO_EVENTS[name] : undefined;
}

function renamed(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [PARTNER.get(key) ?? key, value]));
}

/** Adds the default fields. A tool's output is always text in Agentao. */
function withDefaults(name: EventName, payload: JsonObject): JsonObject {
  const missing = Object.entries(DEFAULTS[name] ?? {}).filter(([key]) => payload[key] === undefined);
  const complete = { ...payload, ...Object.fromEntries(missing.map(([key, make]) => [key, make()])) };
  const { tool_response: output } = complete as JsonObject;
  if (name !== "PostToolUse" || typeof output === "string" || output === undefined) return complete;
  return { ...complete, tool_response: JSON.stringify(output) };
}

/** Swaps the fields of a tool's input that have different names. */
function inOtherWords(payload: JsonObject): JsonObject {
  const { tool_name: toolName, tool_input: input } = payload;
  return isJsonObject(input) ? { ...payload, tool_input: agentaoTools.exchangedInput(toolName, input) } : payload;
}

/** Whether a payload comes from Agentao, by fields that no other agent sends. */
export function recognises(payload: JsonObject): boolean {
  const { event, data, hook_event_name: name } = payload;
  if (typeof event === "string") return isJsonObject(data) && eventNamed(event) !== undefined;
  if (name === "Stop") return "turn_end_reason" in payload;
  return name === "PreCompact" && "compaction_type" in payload;
}
