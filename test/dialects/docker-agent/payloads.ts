import type { JsonObject } from "../../../src/json.ts";

const call = { tool_use_id: "call_7", tool_name: "shell", tool_input: { cmd: "make test", cwd: "." } };
const audited = { ...call, agent_name: "root" };
const typed = { ...audited, tool_category: "shell", safety_policy: "balanced" };
const pressure = { input_tokens: 9_000, output_tokens: 120, context_limit: 0, compaction_reason: "threshold" };
const usage = { input_tokens: 10, output_tokens: 2, cached_input_tokens: 0, cached_write_tokens: 0 };

/** The fields of each event in addition to the common ones. */
export const PAYLOADS: Readonly<Record<string, JsonObject>> = {
  pre_tool_use: { ...typed, tool_read_only: false },
  tool_input_transform: typed,
  tool_guard: typed,
  permission_request: audited,
  tool_response_transform: { ...call, tool_response: "12 passed" },
  post_tool_use: { ...audited, tool_response: "12 passed", tool_error: false },
  session_start: { source: "resume" },
  user_prompt_submit: { prompt: "Tidy up" },
  user_steering_messages_submit: { steering_messages: ["wait", "do the tests first"] },
  user_followup_submit: { prompt: "And the docs" },
  turn_start: {},
  turn_end: { agent_name: "root", reason: "steered" },
  before_llm_call: { iteration: 3, model_id: "openai/gpt-4o", messages: [{ role: "user", content: "Tidy up" }] },
  after_llm_call: {
    agent_name: "root",
    stop_response: "Done",
    last_user_message: "Tidy up",
    model_id: "openai/gpt-4o",
    usage,
    cost: 0,
  },
  session_end: { reason: "logout" },
  pre_compact: { source: "tool_overflow" },
  before_compaction: pressure,
  after_compaction: { ...pressure, summary: "Tidied up" },
  subagent_stop: { agent_name: "helper", parent_session_id: "p", stop_response: "Done" },
  on_user_input: {},
  stop: { agent_name: "root", stop_response: "Done", last_user_message: "Tidy up" },
  notification: { notification_level: "warning", notification_message: "slow" },
  on_error: { notification_level: "error", notification_message: "all models failed" },
  on_max_iterations: { notification_level: "warning", notification_message: "20 reached" },
  on_agent_switch: { from_agent: "root", to_agent: "helper", agent_switch_kind: "handoff", from_agent_models: [] },
  on_session_resume: { previous_max_iterations: 20, new_max_iterations: 40 },
  on_tool_approval_decision: {
    ...call,
    approval_decision: "allow",
    approval_source: "user_approved",
    safety_label: { class: "safe" },
  },
  worktree_create: { worktree_path: "/w", worktree_branch: "b", worktree_source_dir: "/s" },
};
