import type { EventName } from "../../events/table.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { eventSpelling } from "../canonical-hook.ts";
import { AUTOHAND_EVENTS } from "./event-names.ts";
import { agentToolFields, canonicalToolFields } from "./tools.ts";

/** Converts between Autohand's names for events and payload fields and the canonical names. */

export const { agentEvent, canonicalEvent } = eventSpelling(AUTOHAND_EVENTS);

/** Fields with different names. The table maps Autohand's name to the canonical name. */
const FIELDS: Readonly<Partial<Record<EventName, Readonly<Record<string, string>>>>> = {
  PostToolUse: { duration: "duration_ms" },
  UserPromptSubmit: { instruction: "prompt" },
  SessionStart: { session_type: "source" },
  SessionEnd: { session_end_reason: "reason" },
  SubagentStop: { subagent_id: "agent_id", subagent_type: "agent_type" },
  Notification: { notification_message: "message" },
  FileChanged: { change_type: "event" },
  PostCompact: { summary: "compact_summary" },
  TaskAssigned: { team_task_id: "task_id" },
  TaskCompleted: { team_task_id: "task_id" },
};

/** Kinds of changes, in both directions: Autohand's "create" is the canonical "add". */
const CHANGES: ReadonlyMap<unknown, string> = new Map(
  [
    ["create", "add"],
    ["modify", "change"],
    ["delete", "unlink"],
  ].flatMap(([one = "", other = ""]) => [[one, other] as const, [other, one] as const]),
);

const TOOL_EVENTS: readonly string[] = ["PreToolUse", "PostToolUse", "PermissionRequest"];

/** The fields that Autohand's documentation shows in every payload. A field without a value is `null`. */
const ALWAYS_THERE: readonly string[] = [
  "tool_name",
  "tool_input",
  "tool_use_id",
  "tool_response",
  "tool_success",
  "file_path",
  "change_type",
  "instruction",
  "mentioned_files",
  "tokens_used",
  "tool_calls_count",
  "turn_tool_calls",
  "turn_duration",
  "duration",
  "error",
  "error_code",
  "session_type",
  "session_end_reason",
  "subagent_id",
  "subagent_name",
  "subagent_type",
  "subagent_success",
  "subagent_error",
  "subagent_duration",
  "permission_type",
  "notification_type",
  "notification_message",
];

/** Converts a payload to canonical names. A field that is `null` counts as missing. */
export function canonicalPayload(name: EventName, payload: JsonObject): JsonObject {
  const present = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== null));
  const fields = renamed(present, Object.entries(FIELDS[name] ?? {}));
  const { event: change } = fields;
  return {
    ...(TOOL_EVENTS.includes(name) ? canonicalToolFields(fields) : fields),
    ...(name === "FileChanged" && CHANGES.has(change) ? { event: CHANGES.get(change) as string } : {}),
    hook_event_name: name,
  };
}

/** Returns a payload in Autohand's format, with the fields of the event only. */
export function agentPayload(name: string, payload: JsonObject): JsonObject {
  const names = Object.entries(FIELDS[name as EventName] ?? {}).map(
    ([agent, canonical]) => [canonical, agent] as const,
  );
  const fields = renamed(payload, names);
  const { change_type: change, tool_error: error } = fields;
  // A program that embeds the engine sets `tool_error` only if the tool failed.
  const isSilent = name === "PostToolUse" && fields["tool_success"] === undefined;
  return {
    ...(TOOL_EVENTS.includes(name) ? agentToolFields(fields) : fields),
    ...(name === "FileChanged" && CHANGES.has(change) ? { change_type: CHANGES.get(change) as string } : {}),
    ...(isSilent ? { tool_success: error !== true } : {}),
    hook_event_name: agentEvent(name),
  };
}

/**
 * Returns the payload that a hook reads. Autohand's documentation shows `null` for fields that Autohand itself leaves
 * out. A hook that follows the documentation may need the field; for other hooks `null` means the same as a missing
 * field.
 */
export function pagePayload(name: string, payload: JsonObject): JsonObject {
  const absent = Object.fromEntries(ALWAYS_THERE.map((field) => [field, null]));
  return { ...absent, ...agentPayload(name, payload) };
}

/** Swaps the names of fields, so that a payload with both names keeps both values. */
function renamed(payload: JsonObject, fields: readonly (readonly [from: string, to: string])[]): JsonObject {
  const partner = new Map(fields.flatMap(([from, to]) => [[from, to] as const, [to, from] as const]));
  const entries = Object.entries(payload).map(([key, value]): [string, JsonValue] => [partner.get(key) ?? key, value]);
  return Object.fromEntries(entries);
}
