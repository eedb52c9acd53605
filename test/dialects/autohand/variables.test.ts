import { expect, test } from "vitest";
import { hookVariables, VARIABLE_NAMES } from "../../../src/dialects/autohand/variables.ts";
import { MAX_VARIABLE_BYTES } from "../../../src/dialects/event-variables.ts";
import type { JsonObject } from "../../../src/json.ts";
import { makeEvent } from "../../helpers/rules.ts";

const variables = (name: string, payload: JsonObject) => {
  const all = hookVariables(makeEvent(name, payload, "autohand"));
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
};

test.each<readonly [string, JsonObject, Readonly<Record<string, string>>]>([
  [
    "PreToolUse",
    { session_id: "s", cwd: "/w", tool_name: "Write", tool_input: { file_path: "a" }, tool_use_id: "c1" },
    {
      HOOK_EVENT: "pre-tool",
      HOOK_SESSION_ID: "s",
      HOOK_WORKSPACE: "/w",
      HOOK_TOOL: "write_file",
      HOOK_ARGS: '{"path":"a"}',
      HOOK_TOOL_CALL_ID: "c1",
      HOOK_PATH: "a",
    },
  ],
  [
    "PostToolUse",
    { tool_name: "Bash", tool_success: false, tool_response: "out", duration_ms: 5 },
    {
      HOOK_EVENT: "post-tool",
      HOOK_TOOL: "run_command",
      HOOK_SUCCESS: "false",
      HOOK_OUTPUT: "out",
      HOOK_DURATION: "5",
    },
  ],
  [
    "FileChanged",
    { file_path: "a", event: "unlink" },
    { HOOK_EVENT: "file-modified", HOOK_PATH: "a", HOOK_CHANGE_TYPE: "delete" },
  ],
  [
    "UserPromptSubmit",
    { prompt: "go", mentioned_files: ["a"] },
    { HOOK_EVENT: "pre-prompt", HOOK_INSTRUCTION: "go", HOOK_MENTIONED_FILES: '["a"]' },
  ],
  [
    "Stop",
    {
      tokens_used: 9,
      tokens_usage_status: "actual",
      tool_calls_count: 2,
      turn_tool_calls: 1,
      turn_duration: 7,
      duration: 8,
    },
    {
      HOOK_EVENT: "stop",
      HOOK_TOKENS: "9",
      HOOK_TOKENS_USAGE_STATUS: "actual",
      HOOK_TOOL_CALLS_COUNT: "2",
      HOOK_TURN_TOOL_CALLS: "1",
      HOOK_TURN_DURATION: "7",
      HOOK_DURATION: "8",
    },
  ],
  [
    "AgentError",
    { error: "e", error_code: "E1" },
    { HOOK_EVENT: "session-error", HOOK_ERROR: "e", HOOK_ERROR_CODE: "E1" },
  ],
  ["SessionStart", { source: "resume" }, { HOOK_EVENT: "session-start", HOOK_SESSION_TYPE: "resume" }],
  ["SessionEnd", { reason: "quit" }, { HOOK_EVENT: "session-end", HOOK_SESSION_END_REASON: "quit" }],
  [
    "SubagentStop",
    {
      agent_id: "1",
      subagent_name: "n",
      agent_type: "t",
      subagent_success: true,
      subagent_error: "e",
      subagent_duration: 6,
    },
    {
      HOOK_EVENT: "subagent-stop",
      HOOK_SUBAGENT_ID: "1",
      HOOK_SUBAGENT_NAME: "n",
      HOOK_SUBAGENT_TYPE: "t",
      HOOK_SUBAGENT_SUCCESS: "true",
      HOOK_SUBAGENT_ERROR: "e",
      HOOK_SUBAGENT_DURATION: "6",
    },
  ],
  [
    "PermissionRequest",
    { tool_name: "Read", permission_type: "read", tool_input: { file_path: "/etc" } },
    {
      HOOK_EVENT: "permission-request",
      HOOK_TOOL: "read_file",
      HOOK_PERMISSION_TYPE: "read",
      HOOK_PATH: "/etc",
      HOOK_ARGS: '{"path":"/etc"}',
    },
  ],
  [
    "Notification",
    { notification_type: "idle", message: "m" },
    { HOOK_EVENT: "notification", HOOK_NOTIFICATION_TYPE: "idle", HOOK_NOTIFICATION_MSG: "m" },
  ],
  [
    "RateLimited",
    { error: "e", retry_after_ms: 5, http_status: 429, model: "m", provider: "p" },
    {
      HOOK_EVENT: "rate-limit",
      HOOK_ERROR: "e",
      HOOK_RETRY_AFTER_MS: "5",
      HOOK_HTTP_STATUS: "429",
      HOOK_MODEL: "m",
      HOOK_PROVIDER: "p",
    },
  ],
  [
    "PostCompact",
    { compact_summary: "s", cropped_count: 1, usage_percent: 2, context_reason: "r" },
    {
      HOOK_EVENT: "context:compact",
      HOOK_CONTEXT_SUMMARY: "s",
      HOOK_CROPPED_COUNT: "1",
      HOOK_USAGE_PERCENT: "2",
      HOOK_CONTEXT_REASON: "r",
    },
  ],
  [
    "AutomodeCheckpoint",
    { automode_prompt: "p", automode_checkpoint_commit: "abc", automode_total_cost: 0.5 },
    {
      HOOK_EVENT: "automode:checkpoint",
      HOOK_AUTOMODE_PROMPT: "p",
      HOOK_AUTOMODE_CHECKPOINT: "abc",
      HOOK_AUTOMODE_COST: "0.5",
    },
  ],
  [
    "TaskAssigned",
    { task_id: "t", team_task_owner: "o" },
    { HOOK_EVENT: "task-assigned", HOOK_TEAM_TASK_ID: "t", HOOK_TEAM_TASK_OWNER: "o" },
  ],
])("%s is in the environment, without variables for missing values: %j", (name, payload, expected) => {
  expect(variables(name, payload)).toEqual(expected);
});

test("variables without a value in the event are not inherited from a hook that started hookbox", () => {
  const all = hookVariables(makeEvent("Stop", {}, "autohand"));
  expect(Object.keys(all).sort()).toEqual([...VARIABLE_NAMES].sort());
  expect(all["HOOK_TOOL"]).toBeUndefined();
});

test("a value that is too long is cut, and one that could mean two files is left out; both are reported", () => {
  const { HOOK_ARGS: args, ...rest } = variables("PreToolUse", {
    tool_name: "Write",
    tool_input: { file_path: "a", path: "b", content: "x".repeat(200_000) },
  });
  expect(args).toHaveLength(MAX_VARIABLE_BYTES);
  expect(rest).toEqual({
    HOOK_EVENT: "pre-tool",
    HOOK_TOOL: "write_file",
    HOOK_CUT: "HOOK_ARGS",
    HOOK_OMITTED: "HOOK_PATH",
  });
});
