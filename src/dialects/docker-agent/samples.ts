import type { JsonObject } from "../../json.ts";
import {
  ANSWER,
  CALL_ID,
  COMMAND,
  CONTENT,
  FAILURE,
  FILE,
  LISTING,
  type Payloads,
  PROMPT,
  payloadsOf,
  type Samples,
  SESSION_ID,
  SUMMARY,
} from "../samples.ts";

/** docker-agent's payloads, with the fields of its documentation. */

const AGENT = "root";
const MODEL_ID = "openai/gpt-4o";

const TOOLS: readonly (readonly [string, JsonObject])[] = [
  ["shell", { cmd: COMMAND, cwd: "." }],
  ["write_file", { path: FILE, content: CONTENT }],
  ["edit_file", { path: FILE, edits: [{ oldText: "42", newText: "43" }] }],
  ["read_file", { path: FILE }],
  ["list_directory", { path: "src" }],
  ["search_files_content", { path: "src", query: "answer" }],
  ["fetch", { urls: ["https://example.com/"], format: "markdown" }],
  ["run_background_job", { cmd: "npm run watch", cwd: "." }],
  ["read_multiple_files", { paths: [FILE] }],
  ["directory_tree", { path: "src" }],
  ["transfer_task", { agent: "explorer", task: PROMPT, expected_output: "a list" }],
];

const calls: Payloads = TOOLS.map(([tool_name, tool_input]) => ({ tool_name, tool_use_id: CALL_ID, tool_input }));

const called = (more: JsonObject): Payloads => calls.map((call) => ({ ...call, ...more }));

const ASKED = called({ agent_name: AGENT });
const ANSWERED = { agent_name: AGENT, stop_response: ANSWER, last_user_message: PROMPT };
const PRESSURE = { input_tokens: 90_000, output_tokens: 4_000, context_limit: 128_000, compaction_reason: "threshold" };
const NOTICE = { notification_level: "error", notification_message: FAILURE };
const USAGE = { input_tokens: 900, output_tokens: 40, cached_input_tokens: 0, cached_write_tokens: 0 };

/** The own fields of each event, without the fields that all events have. */
const EVENTS: Readonly<Record<string, Payloads>> = {
  pre_tool_use: ASKED,
  tool_input_transform: ASKED,
  tool_guard: ASKED,
  permission_request: ASKED,
  tool_response_transform: called({ tool_response: LISTING }),
  post_tool_use: called({ agent_name: AGENT, tool_response: LISTING, tool_error: false }),
  on_tool_approval_decision: called({ approval_decision: "allow", approval_source: "user_approved" }),
  session_start: [{ source: "startup" }],
  user_prompt_submit: [{ prompt: PROMPT }],
  user_steering_messages_submit: [{ steering_messages: [PROMPT] }],
  user_followup_submit: [{ prompt: PROMPT }],
  turn_start: [{}],
  turn_end: [{ agent_name: AGENT, reason: "normal" }],
  before_llm_call: [{ iteration: 1, model_id: MODEL_ID }],
  after_llm_call: [{ ...ANSWERED, model_id: MODEL_ID, usage: USAGE, cost: 0.004 }],
  session_end: [{ reason: "other" }],
  pre_compact: [{ source: "manual" }],
  before_compaction: [PRESSURE],
  after_compaction: [{ ...PRESSURE, summary: SUMMARY }],
  subagent_stop: [{ agent_name: "explorer", parent_session_id: `${SESSION_ID}-parent`, stop_response: ANSWER }],
  on_user_input: [{}],
  stop: [ANSWERED],
  notification: [NOTICE],
  on_error: [NOTICE],
  on_max_iterations: [{ ...NOTICE, notification_level: "warning" }],
  on_agent_switch: [{ from_agent: AGENT, to_agent: "explorer", agent_switch_kind: "transfer_task" }],
  on_session_resume: [{ previous_max_iterations: 20, new_max_iterations: 40 }],
  worktree_create: [{ worktree_path: "/worktrees/try", worktree_branch: "try", worktree_source_dir: "/project" }],
};

export const dockerAgentSamples: Samples = (event, cwd) => {
  const samples = payloadsOf(EVENTS, event);
  return samples.map((sample) => ({ session_id: SESSION_ID, cwd, hook_event_name: event, ...sample }));
};
