import type { HookEvent } from "../../event.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { isJsonObject } from "../../json.ts";
import { pathOf, VariableSet } from "../event-variables.ts";
import { agentPayload } from "./spelling.ts";

/** Fields of Autohand's payload in the order of their variables. The first ones get the environment's limited space. */
const FIELDS: readonly string[] = [
  ["hook_event_name", "cwd", "session_id", "tool_name", "tool_use_id", "tool_input", "tool_success", "tool_response"],
  ["duration", "change_type", "instruction", "mentioned_files", "tokens_used", "tokens_usage_status"],
  ["tool_calls_count", "turn_tool_calls", "turn_duration", "error", "error_code", "retry_after_ms", "http_status"],
  ["model", "provider", "session_type", "session_end_reason", "subagent_id"],
  // Autohand's documentation promises the variables of the next four fields, but Autohand itself sets none of them.
  ["subagent_name", "subagent_success", "subagent_error", "subagent_duration"],
  ["subagent_type", "permission_type", "notification_type", "notification_message", "cropped_count", "summary"],
  ["usage_percent", "context_reason", "tokens_before", "tokens_after", "remaining_tokens"],
  ["automode_session_id", "automode_prompt", "automode_iteration", "automode_max_iterations", "automode_actions"],
  ["automode_files_created", "automode_files_modified", "automode_cancel_reason"],
  ["automode_checkpoint_commit", "automode_total_cost"],
  ["autoresearch_goal", "autoresearch_active", "autoresearch_iteration", "autoresearch_max_iterations"],
  ["autoresearch_subcommand", "autoresearch_attempt_id", "autoresearch_decision"],
  ["review_path", "review_scope", "review_instructions", "review_error"],
  ["goal_id", "goal_objective", "goal_source"],
  ["team_name", "teammate_name", "teammate_agent_name", "teammate_pid"],
  ["team_task_id", "team_task_owner", "team_task_result"],
  ["team_member_count", "team_tasks_completed", "team_tasks_total", "additional_workspaces"],
].flat();

/** Variables that are not named `HOOK_` and the field. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  hook_event_name: "HOOK_EVENT",
  cwd: "HOOK_WORKSPACE",
  tool_name: "HOOK_TOOL",
  tool_use_id: "HOOK_TOOL_CALL_ID",
  tool_input: "HOOK_ARGS",
  tool_success: "HOOK_SUCCESS",
  tool_response: "HOOK_OUTPUT",
  tokens_used: "HOOK_TOKENS",
  notification_message: "HOOK_NOTIFICATION_MSG",
  summary: "HOOK_CONTEXT_SUMMARY",
  automode_checkpoint_commit: "HOOK_AUTOMODE_CHECKPOINT",
  automode_total_cost: "HOOK_AUTOMODE_COST",
  teammate_agent_name: "HOOK_TEAMMATE_AGENT",
};

const VARIABLES: readonly (readonly [name: string, field: string])[] = FIELDS.map((field) => [
  OTHER_NAMES[field] ?? `HOOK_${field.toUpperCase()}`,
  field,
]);

export const VARIABLE_NAMES: readonly string[] = [
  ...VARIABLES.map(([name]) => name),
  "HOOK_PATH",
  "HOOK_CUT",
  "HOOK_OMITTED",
];

/**
 * Returns the event as Autohand's variables. Variables without a value are `undefined`, so that a hook does not inherit
 * them from a hook that started hookbox.
 */
export function hookVariables(event: HookEvent): Readonly<Record<string, string | undefined>> {
  const payload = agentPayload(event.name, event.payload);
  const variables = new VariableSet();
  const path = pathFrom(payload);
  if (path === "ambiguous") variables.omit("HOOK_PATH");
  else variables.add("HOOK_PATH", path);
  for (const [name, field] of VARIABLES) variables.add(name, payload[field]);
  const absent = Object.fromEntries(VARIABLE_NAMES.map((name) => [name, undefined]));
  return { ...absent, ...variables.toEnvironment() };
}

function pathFrom({ file_path: path, tool_input: input }: JsonObject): JsonValue | undefined {
  return path ?? (isJsonObject(input) ? pathOf(input) : undefined);
}
