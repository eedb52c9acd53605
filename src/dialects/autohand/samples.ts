import type { JsonObject } from "../../json.ts";
import {
  ANSWER,
  CALL_ID,
  COMMAND,
  CONTENT,
  each,
  FAILURE,
  FILE,
  LISTING,
  NOTICE,
  type Payloads,
  PROMPT,
  payloadsOf,
  type Samples,
  SESSION_ID,
  SUMMARY,
} from "../samples.ts";

/** Autohand's payloads with the fields of its documentation. The codec adds the other fields as `null`. */

const TOOLS: readonly (readonly [string, JsonObject])[] = [
  ["run_command", { command: COMMAND }],
  ["write_file", { path: FILE, content: CONTENT }],
  ["read_file", { path: FILE }],
  ["delete_path", { path: FILE }],
  ["append_file", { path: FILE, content: CONTENT }],
  ["apply_patch", { path: FILE, patch: "@@ -1 +1 @@\n-export const answer = 42;\n+export const answer = 43;\n" }],
  ["search_replace", { path: FILE, blocks: "<<<<<<< SEARCH\n42\n=======\n43\n>>>>>>> REPLACE\n" }],
  ["multi_file_edit", { edits: [{ path: FILE, type: "modify", content: CONTENT }] }],
  ["format_file", { path: FILE, formatter: "prettier" }],
  ["notebook_edit", { path: "src/example.ipynb", cell_index: 0, new_source: "42", edit_mode: "replace" }],
  ["list_tree", { path: "src", depth: 2 }],
  ["search", { query: "answer", path: "src" }],
  ["shell", { command: COMMAND }],
  ["web_search", { query: "weather" }],
  ["fetch_url", { url: "https://example.com/" }],
];

const calls: Payloads = TOOLS.map(([tool_name, tool_input]) => ({ tool_name, tool_input }));

const called = (more: JsonObject): Payloads => calls.map((call) => ({ ...call, ...more }));

const STOPPED: JsonObject = {
  tokens_used: 1_200,
  tool_calls_count: 3,
  turn_tool_calls: 2,
  turn_duration: 4_000,
  duration: 4_000,
};
const AUTOMODE = { automode_session_id: "automode-1", automode_iteration: 1 };
const COST = { automode_files_created: 1, automode_files_modified: 2, automode_total_cost: 0.02 };
const ACTIONS = { automode_actions: ["list the files"] };
const AIMED = { automode_prompt: PROMPT, automode_max_iterations: 10 };
const RESEARCH = { autoresearch_goal: PROMPT, autoresearch_active: true, autoresearch_iteration: 1 };
const SUBCOMMAND = { ...RESEARCH, autoresearch_subcommand: "run", autoresearch_attempt_id: "attempt-1" };
const REVIEW = { review_path: "src", review_scope: "file", review_instructions: PROMPT };
const TEAM = { team_name: "example" };
const MATE = { ...TEAM, teammate_name: "explorer" };
const TEAM_TASK = { ...MATE, team_task_id: "1", team_task_owner: "explorer" };
const WINDOW = { usage_percent: 82, remaining_tokens: 24_000 };

/** The own fields of each event, without the fields that all events have. */
const EVENTS: Readonly<Record<string, Payloads>> = {
  "pre-tool": called({ tool_use_id: CALL_ID }),
  "post-tool": called({ tool_use_id: CALL_ID, tool_response: LISTING, tool_success: true, duration: 12 }),
  "permission-request": calls.map((call) => {
    const { path } = call["tool_input"] as JsonObject;
    return { ...call, ...(path === undefined ? {} : { file_path: path }), permission_type: "tool" };
  }),
  "file-modified": [FILE, "lib/example.js", "tests/example.test.ts", "README.md"].map((file) => ({
    file_path: file,
    change_type: "modify",
  })),
  "pre-prompt": [{ instruction: PROMPT, mentioned_files: [FILE] }],
  stop: [STOPPED],
  "post-response": [STOPPED],
  "session-start": each("session_type", ["startup", "resume", "clear"]),
  "session-end": each("session_end_reason", ["quit", "clear", "exit", "error"], { duration: 60_000 }),
  "session-error": [{ error: FAILURE, error_code: "EXAMPLE" }],
  "subagent-stop": each("subagent_type", ["explorer", "reviewer"], {
    subagent_id: "agent-1",
    subagent_name: "explorer",
    subagent_success: true,
    subagent_duration: 3_000,
  }),
  notification: each("notification_type", ["info", "warning", "error", "task_complete"], {
    notification_message: NOTICE,
  }),
  "rate-limit": [{ error: FAILURE, error_code: "rate_limit" }],
  "pre-clear": [{}],
  "automode:start": [{ ...AUTOMODE, ...AIMED }],
  "automode:iteration": [{ ...AUTOMODE, ...AIMED, ...ACTIONS, ...COST }],
  "automode:checkpoint": [{ ...AUTOMODE, automode_checkpoint_commit: "0123456" }],
  "automode:pause": [AUTOMODE],
  "automode:resume": [AUTOMODE],
  "automode:cancel": [{ ...AUTOMODE, ...COST, automode_cancel_reason: "user" }],
  "automode:complete": [{ ...AUTOMODE, ...ACTIONS, ...COST }],
  "automode:error": [{ ...AUTOMODE, error: FAILURE }],
  "autoresearch:start": [RESEARCH],
  "autoresearch:pause": [RESEARCH],
  "autoresearch:init": [SUBCOMMAND],
  "autoresearch:before": [SUBCOMMAND],
  "autoresearch:run": [SUBCOMMAND],
  "autoresearch:after": [SUBCOMMAND],
  "autoresearch:log": [SUBCOMMAND],
  "autoresearch:decision": [{ ...SUBCOMMAND, autoresearch_decision: "keep" }],
  "autoresearch:replay": [SUBCOMMAND],
  "autoresearch:rescore": [SUBCOMMAND],
  "autoresearch:prune": [SUBCOMMAND],
  "autoresearch:complete": [RESEARCH],
  "autoresearch:error": [{ ...RESEARCH, error: FAILURE }],
  "pre-learn": [{ instruction: PROMPT }],
  "post-learn": [{ instruction: PROMPT, duration: 4_000 }],
  "goal-written:completed": [{ goal_id: "goal-1", goal_objective: PROMPT, goal_source: "user" }],
  "team-created": [{ ...TEAM, team_member_count: 2 }],
  "teammate-spawned": [{ ...MATE, teammate_agent_name: "explorer", teammate_pid: 4_711, team_member_count: 2 }],
  "teammate-idle": [{ ...MATE, team_member_count: 2 }],
  "task-assigned": [TEAM_TASK],
  "task-completed": [{ ...TEAM_TASK, team_task_result: ANSWER }],
  "team-shutdown": [{ ...TEAM, team_member_count: 2, team_tasks_completed: 3, team_tasks_total: 3 }],
  "review:start": [REVIEW],
  "review:end": [REVIEW],
  "review:paused": [REVIEW],
  "review:failed": [{ ...REVIEW, review_error: FAILURE }],
  "review:completed": [REVIEW],
  "mode-change": [{}],
  "context:compact": [{ cropped_count: 12, summary: SUMMARY, usage_percent: 40, context_reason: "threshold" }],
  "context:overflow": [{ tokens_before: 130_000, tokens_after: 60_000, cropped_count: 12, usage_percent: 47 }],
  "context:warning": [WINDOW],
  "context:critical": [WINDOW],
};

export const autohandSamples: Samples = (event, cwd) => {
  const common = { session_id: SESSION_ID, cwd, hook_event_name: event };
  return payloadsOf(EVENTS, event).map((sample) => ({ ...common, ...sample }));
};
