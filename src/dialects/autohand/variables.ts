import type { HookEvent } from "../../event.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { isJsonObject } from "../../json.ts";
import { pathOf, VariableSet } from "../event-variables.ts";
import { agentPayload } from "./spelling.ts";

/**
 * Maps each variable to a field of Autohand's payload. Fields that scripts judge come first, because the environment
 * has limited space.
 */
const VARIABLES: Readonly<Record<string, string>> = {
  HOOK_EVENT: "hook_event_name",
  HOOK_WORKSPACE: "cwd",
  HOOK_SESSION_ID: "session_id",
  HOOK_TOOL: "tool_name",
  HOOK_TOOL_CALL_ID: "tool_use_id",
  HOOK_ARGS: "tool_input",
  HOOK_SUCCESS: "tool_success",
  HOOK_OUTPUT: "tool_response",
  HOOK_DURATION: "duration",
  HOOK_CHANGE_TYPE: "change_type",
  HOOK_INSTRUCTION: "instruction",
  HOOK_MENTIONED_FILES: "mentioned_files",
  HOOK_TOKENS: "tokens_used",
  HOOK_TOKENS_USAGE_STATUS: "tokens_usage_status",
  HOOK_TOOL_CALLS_COUNT: "tool_calls_count",
  HOOK_TURN_TOOL_CALLS: "turn_tool_calls",
  HOOK_TURN_DURATION: "turn_duration",
  HOOK_ERROR: "error",
  HOOK_ERROR_CODE: "error_code",
  HOOK_RETRY_AFTER_MS: "retry_after_ms",
  HOOK_HTTP_STATUS: "http_status",
  HOOK_MODEL: "model",
  HOOK_PROVIDER: "provider",
  HOOK_SESSION_TYPE: "session_type",
  HOOK_SESSION_END_REASON: "session_end_reason",
  HOOK_SUBAGENT_ID: "subagent_id",
  // Autohand's documentation promises the next four variables, but Autohand itself sets none of them.
  HOOK_SUBAGENT_NAME: "subagent_name",
  HOOK_SUBAGENT_SUCCESS: "subagent_success",
  HOOK_SUBAGENT_ERROR: "subagent_error",
  HOOK_SUBAGENT_DURATION: "subagent_duration",
  HOOK_SUBAGENT_TYPE: "subagent_type",
  HOOK_PERMISSION_TYPE: "permission_type",
  HOOK_NOTIFICATION_TYPE: "notification_type",
  HOOK_NOTIFICATION_MSG: "notification_message",
  HOOK_CROPPED_COUNT: "cropped_count",
  HOOK_CONTEXT_SUMMARY: "summary",
  HOOK_USAGE_PERCENT: "usage_percent",
  HOOK_CONTEXT_REASON: "context_reason",
  HOOK_TOKENS_BEFORE: "tokens_before",
  HOOK_TOKENS_AFTER: "tokens_after",
  HOOK_REMAINING_TOKENS: "remaining_tokens",
  HOOK_AUTOMODE_SESSION_ID: "automode_session_id",
  HOOK_AUTOMODE_PROMPT: "automode_prompt",
  HOOK_AUTOMODE_ITERATION: "automode_iteration",
  HOOK_AUTOMODE_MAX_ITERATIONS: "automode_max_iterations",
  HOOK_AUTOMODE_ACTIONS: "automode_actions",
  HOOK_AUTOMODE_FILES_CREATED: "automode_files_created",
  HOOK_AUTOMODE_FILES_MODIFIED: "automode_files_modified",
  HOOK_AUTOMODE_CANCEL_REASON: "automode_cancel_reason",
  HOOK_AUTOMODE_CHECKPOINT: "automode_checkpoint_commit",
  HOOK_AUTOMODE_COST: "automode_total_cost",
  HOOK_AUTORESEARCH_GOAL: "autoresearch_goal",
  HOOK_AUTORESEARCH_ACTIVE: "autoresearch_active",
  HOOK_AUTORESEARCH_ITERATION: "autoresearch_iteration",
  HOOK_AUTORESEARCH_MAX_ITERATIONS: "autoresearch_max_iterations",
  HOOK_AUTORESEARCH_SUBCOMMAND: "autoresearch_subcommand",
  HOOK_AUTORESEARCH_ATTEMPT_ID: "autoresearch_attempt_id",
  HOOK_AUTORESEARCH_DECISION: "autoresearch_decision",
  HOOK_REVIEW_PATH: "review_path",
  HOOK_REVIEW_SCOPE: "review_scope",
  HOOK_REVIEW_INSTRUCTIONS: "review_instructions",
  HOOK_REVIEW_ERROR: "review_error",
  HOOK_GOAL_ID: "goal_id",
  HOOK_GOAL_OBJECTIVE: "goal_objective",
  HOOK_GOAL_SOURCE: "goal_source",
  HOOK_TEAM_NAME: "team_name",
  HOOK_TEAMMATE_NAME: "teammate_name",
  HOOK_TEAMMATE_AGENT: "teammate_agent_name",
  HOOK_TEAMMATE_PID: "teammate_pid",
  HOOK_TEAM_TASK_ID: "team_task_id",
  HOOK_TEAM_TASK_OWNER: "team_task_owner",
  HOOK_TEAM_TASK_RESULT: "team_task_result",
  HOOK_TEAM_MEMBER_COUNT: "team_member_count",
  HOOK_TEAM_TASKS_COMPLETED: "team_tasks_completed",
  HOOK_TEAM_TASKS_TOTAL: "team_tasks_total",
  HOOK_ADDITIONAL_WORKSPACES: "additional_workspaces",
};

export const VARIABLE_NAMES: readonly string[] = [...Object.keys(VARIABLES), "HOOK_PATH", "HOOK_CUT", "HOOK_OMITTED"];

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
  for (const [name, field] of Object.entries(VARIABLES)) variables.add(name, payload[field]);
  const absent = Object.fromEntries(VARIABLE_NAMES.map((name) => [name, undefined]));
  return { ...absent, ...variables.toEnvironment() };
}

function pathFrom({ file_path: path, tool_input: input }: JsonObject): JsonValue | undefined {
  return path ?? (isJsonObject(input) ? pathOf(input) : undefined);
}
