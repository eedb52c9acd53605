import type { EventName } from "../../events/table.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { eventSpelling } from "../canonical-hook.ts";
import { OPENCLAW_EVENTS } from "./event-names.ts";
import { camelFields, snakeFields } from "./field-names.ts";
import { openclawTools } from "./tools.ts";

/** Converts between OpenClaw's event and context of a hook and the canonical payload. */

interface WireEvent {
  readonly event: JsonObject;
  readonly ctx?: JsonObject;
}

export const { agentEvent, canonicalEvent } = eventSpelling(OPENCLAW_EVENTS);

const TOOL = { toolName: "tool_name", params: "tool_input", toolCallId: "tool_use_id" };
const PERSISTED = { toolName: "tool_name", toolCallId: "tool_use_id", message: "tool_response" };

/**
 * Fields with another canonical name. The value that an event's hooks can rewrite is always `tool_response`, because
 * each rule of a sequence reads the previous rule's rewrite there.
 */
const FIELDS: Readonly<Partial<Record<EventName, Readonly<Record<string, string>>>>> = {
  PreToolUse: TOOL,
  PostToolUse: { ...TOOL, result: "tool_response" },
  ToolResultPersist: PERSISTED,
  BeforeMessageWrite: PERSISTED,
  MessageSending: { content: "tool_response" },
  ReplyPayloadSending: { payload: "tool_response" },
  SubagentStart: { agentId: "agent_type" },
  SubagentStop: { agentId: "agent_type" },
};

/** Fields of the context that all events of all agents have at the top of the payload. */
const SHARED: Readonly<Record<string, string>> = { sessionId: "session_id", workspaceDir: "cwd" };

/** Top-level fields that belong to no event. */
const TAKEN = ["hook_event_name", "context", "event", ...Object.values(SHARED)];
const AS_WRITTEN = "as_written";

/**
 * Returns the canonical payload. No field is lost: fields without a canonical name are under `event` and under
 * `context.as_written`.
 */
export function canonicalPayload(name: EventName, { event, ctx }: WireEvent): JsonObject {
  const tool = toolOf(event["toolName"]);
  const shown = tool === undefined ? event : { ...event, toolName: tool };
  const { params, ...others } = shown;
  // `params` that is not an object has no fields to judge. It is kept under `event`, so that rules can still see it.
  const isOdd = FIELDS[name] === TOOL && params !== undefined && !isJsonObject(params);
  const fields = snakeFields(isOdd ? others : shown, FIELDS[name] ?? {}, TAKEN);
  const odd = { ...fields.odd, ...(isOdd ? { params } : {}) };
  const payload = {
    hook_event_name: name,
    ...contextFields(ctx),
    ...fields.named,
    ...(isOdd ? { tool_input: {} } : {}),
    ...(Object.keys(odd).length === 0 ? {} : { event: odd }),
  };
  return openclawTools.canonicalFields(payload);
}

/** Returns the name of a tool in lower case, because OpenClaw compares tool names in lower case. */
function toolOf(name: unknown): string | undefined {
  if (typeof name !== "string") return undefined;
  const id = name.trim().toLowerCase();
  return openclawTools.spellings(id).length > 0 ? id : undefined;
}

function contextFields(ctx: JsonObject | undefined): JsonObject {
  if (ctx === undefined) return {};
  const shared = Object.entries(SHARED).filter(([key]) => Object.hasOwn(ctx, key));
  const rest = Object.fromEntries(Object.entries(ctx).filter(([key]) => !Object.hasOwn(SHARED, key)));
  const { named, odd } = snakeFields(rest, {}, [AS_WRITTEN]);
  const context = { ...named, ...(Object.keys(odd).length === 0 ? {} : { [AS_WRITTEN]: odd }) };
  return {
    ...Object.fromEntries(shared.map(([key, field]) => [field, ctx[key] as JsonObject[string]])),
    ...(Object.keys(context).length > 0 || shared.length === 0 ? { context } : {}),
  };
}

/** Converts a canonical payload to OpenClaw's event and context. */
export function wireEvent(name: string, payload: JsonObject): WireEvent {
  const { event: odd, context, ...rest } = openclawTools.agentFields(payload);
  const event = {
    ...camelFields(rest, FIELDS[name as EventName] ?? {}, TAKEN),
    ...(isJsonObject(odd) ? odd : {}),
  };
  const shared = Object.entries(SHARED).filter(([, field]) => Object.hasOwn(payload, field));
  if (shared.length === 0 && !isJsonObject(context)) return { event };
  const { [AS_WRITTEN]: written, ...named } = isJsonObject(context) ? context : {};
  return {
    event,
    ctx: {
      ...Object.fromEntries(shared.map(([key, field]) => [key, payload[field] as JsonObject[string]])),
      ...camelFields(named, {}, []),
      ...(isJsonObject(written) ? written : {}),
    },
  };
}
