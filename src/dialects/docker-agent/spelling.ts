import type { EventName } from "../../events/table.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { eventSpelling } from "../canonical-hook.ts";
import { dockerTools } from "./tools.ts";

/** Converts between docker-agent's names for events and payload fields and the canonical names. */

export const CANONICAL_EVENT: Readonly<Record<string, EventName>> = {
  pre_tool_use: "PreToolUse",
  tool_input_transform: "ToolInputTransform",
  tool_guard: "ToolGuard",
  permission_request: "PermissionRequest",
  tool_response_transform: "ToolResponseTransform",
  post_tool_use: "PostToolUse",
  session_start: "SessionStart",
  user_prompt_submit: "UserPromptSubmit",
  user_steering_messages_submit: "UserSteeringMessagesSubmit",
  user_followup_submit: "UserFollowupSubmit",
  turn_start: "TurnStart",
  turn_end: "TurnEnd",
  before_llm_call: "BeforeModelCall",
  after_llm_call: "AfterModelCall",
  session_end: "SessionEnd",
  pre_compact: "PreCompact",
  before_compaction: "BeforeCompaction",
  after_compaction: "AfterCompaction",
  subagent_stop: "SubagentStop",
  on_user_input: "UserInput",
  stop: "Stop",
  notification: "Notification",
  on_error: "AgentError",
  on_max_iterations: "MaxIterations",
  on_agent_switch: "AgentSwitch",
  on_session_resume: "SessionResume",
  on_tool_approval_decision: "ToolApprovalDecision",
  worktree_create: "WorktreeCreate",
};

export const AGENT_EVENTS: readonly string[] = Object.keys(CANONICAL_EVENT);

export const { agentEvent, canonicalEvent } = eventSpelling(CANONICAL_EVENT);

const NOTICE = { notification_level: "notification_type", notification_message: "message" };

/** Fields with different names. The table maps docker-agent's name to the canonical name. */
const FIELDS: Readonly<Partial<Record<EventName, Readonly<Record<string, string>>>>> = {
  PreCompact: { source: "trigger" },
  Stop: { stop_response: "last_assistant_message" },
  SubagentStop: { stop_response: "last_assistant_message", agent_name: "agent_type" },
  AfterModelCall: { stop_response: "last_assistant_message" },
  Notification: NOTICE,
  AgentError: NOTICE,
  MaxIterations: NOTICE,
};

export function canonicalPayload(name: EventName, payload: JsonObject): JsonObject {
  const fields = dockerTools.canonicalFields(renamed(payload, Object.entries(FIELDS[name] ?? {})));
  return { ...fields, hook_event_name: name };
}

export function agentPayload(name: string, payload: JsonObject): JsonObject {
  const fields = Object.entries(FIELDS[name as EventName] ?? {}).map(
    ([agent, canonical]) => [canonical, agent] as const,
  );
  const result: Record<string, JsonValue> = { ...dockerTools.agentFields(renamed(payload, fields)) };
  for (const field of ENGINE_FIELDS[name as EventName] ?? []) delete result[field];
  const source = result["approval_source"];
  if (typeof source === "string") result["approval_source"] = APPROVAL_SOURCE.get(source) ?? source;
  return { ...result, hook_event_name: agentEvent(name) };
}

/** Fields that `engine.toolCall` adds to an event and that docker-agent does not have. */
const ENGINE_FIELDS: Readonly<Partial<Record<EventName, readonly string[]>>> = {
  PostToolUse: ["duration_ms", "is_interrupt"],
  ToolApprovalDecision: ["reason"],
};

/** Approval sources with different names in `engine.toolCall` and docker-agent. Other names are equal. */
const APPROVAL_SOURCE: ReadonlyMap<string, string> = new Map([
  ["mode_allow", "yolo"],
  ["readonly_hint_allow", "readonly_hint"],
  ["rule_allow", "team_permissions_allow"],
  ["rule_deny", "team_permissions_deny"],
  ["grant_allow", "session_permissions_allow"],
  ["grant_deny", "session_permissions_deny"],
  ["user_allow", "user_approved"],
  ["user_allow_always", "user_approved_tool"],
  ["user_deny", "user_rejected"],
]);

/** Renames fields. If the payload has both names, the value under the new name is kept. */
function renamed(payload: JsonObject, fields: readonly (readonly [from: string, to: string])[]): JsonObject {
  const result: Record<string, JsonValue> = { ...payload };
  for (const [from, to] of fields) {
    const value = result[from];
    if (value === undefined) continue;
    delete result[from];
    result[to] ??= value;
  }
  return result;
}
