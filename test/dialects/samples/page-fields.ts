/** The fields of each agent's payloads, as on its own page. `?` after a name: not in every payload of the event. */

type PageFields = Readonly<Record<string, string>>;

/** Claude Code's hooks reference: the common fields, and those of each event. */
const CLAUDE_COMMON =
  "session_id transcript_path cwd hook_event_name prompt_id? permission_mode? agent_id? agent_type? effort?";
const SWITCHED =
  "from_model to_model requested_model source context_tokens prompt_cache_warm cache_ttl estimated_cache_write_usd pricing";
const CLAUDE: PageFields = {
  PreToolUse: "tool_name tool_input tool_use_id mcp_server?",
  PermissionRequest: "tool_name tool_input permission_suggestions? mcp_server?",
  PermissionDenied: "tool_name tool_input tool_use_id reason mcp_server?",
  PostToolUse: "tool_name tool_input tool_response tool_use_id duration_ms? mcp_server?",
  PostToolUseFailure: "tool_name tool_input tool_use_id error is_interrupt? duration_ms? mcp_server?",
  PostToolBatch: "tool_calls",
  UserPromptSubmit: "prompt source? session_title?",
  UserPromptExpansion: "expansion_type command_name command_args command_source? prompt",
  Stop: "stop_hook_active last_assistant_message? background_tasks? session_crons?",
  SubagentStop:
    "stop_hook_active last_assistant_message? background_tasks? session_crons? agent_id agent_type agent_transcript_path",
  StopFailure: "error error_details? last_assistant_message?",
  SubagentStart: "agent_id agent_type",
  MessageDisplay: "turn_id message_id index final delta",
  TaskCreated: "task_id task_subject task_description? teammate_name? team_name?",
  TaskCompleted: "task_id task_subject task_description? teammate_name? team_name?",
  TeammateIdle: "teammate_name team_name",
  SessionStart: "source model? agent_type? session_title?",
  Setup: "trigger",
  SessionEnd: "reason",
  InstructionsLoaded: "file_path memory_type load_reason globs? trigger_file_path? parent_file_path?",
  ConfigChange: "source file_path?",
  CwdChanged: "old_cwd new_cwd",
  FileChanged: "file_path event",
  DirectoryAdded: "directory source",
  Notification: "message title? notification_type",
  PreCompact: "trigger custom_instructions",
  PostCompact: "trigger compact_summary",
  PreModelSwitch: SWITCHED,
  PostModelSwitch: SWITCHED,
  Elicitation: "mcp_server_name message mode? url? elicitation_id? requested_schema?",
  ElicitationResult: "mcp_server_name action mode? elicitation_id? content?",
  WorktreeCreate: "name",
  WorktreeRemove: "worktree_path",
};

const DOCKER_COMMON = "session_id cwd hook_event_name";
const DOCKER_CALL = "agent_name tool_name tool_use_id tool_input";
/** Two of the runtime's events are not on the page, and have the fields of its `pre_tool_use`. */
const DOCKER: PageFields = {
  pre_tool_use: DOCKER_CALL,
  tool_input_transform: DOCKER_CALL,
  tool_guard: DOCKER_CALL,
  tool_response_transform: "tool_name tool_use_id tool_input tool_response",
  post_tool_use: "agent_name tool_name tool_use_id tool_input tool_response tool_error",
  permission_request: DOCKER_CALL,
  session_start: "source",
  user_prompt_submit: "prompt",
  user_steering_messages_submit: "steering_messages",
  user_followup_submit: "prompt",
  turn_start: "",
  turn_end: "agent_name reason",
  before_llm_call: "iteration model_id",
  after_llm_call: "agent_name stop_response last_user_message model_id usage cost",
  session_end: "reason",
  pre_compact: "source",
  before_compaction: "input_tokens output_tokens context_limit compaction_reason",
  after_compaction: "input_tokens output_tokens context_limit compaction_reason summary",
  subagent_stop: "agent_name parent_session_id stop_response",
  on_user_input: "",
  stop: "agent_name stop_response last_user_message",
  notification: "notification_level notification_message",
  on_error: "notification_level notification_message",
  on_max_iterations: "notification_level notification_message",
  on_agent_switch: "from_agent to_agent agent_switch_kind",
  on_session_resume: "previous_max_iterations new_max_iterations",
  on_tool_approval_decision: "tool_name tool_use_id tool_input approval_decision approval_source",
  worktree_create: "worktree_path worktree_branch worktree_source_dir",
};

/** Fields in the envelope's `data`; for the two flat events, next to it. */
const AGENTAO: PageFields = {
  UserPromptSubmit: "userMessage sessionId cwd",
  SessionStart: "sessionId cwd",
  SessionEnd: "sessionId cwd",
  PreToolUse: "toolName toolInput sessionId",
  PostToolUse: "toolName toolInput toolOutput sessionId",
  PostToolUseFailure: "toolName toolInput error sessionId",
  Stop: "hook_event_name session_id transcript_path cwd permission_mode stop_hook_active last_assistant_message turn_end_reason",
  PreCompact:
    "hook_event_name session_id transcript_path cwd permission_mode trigger custom_instructions compaction_type reason",
};

/** The page's "JSON Input Structure": in every payload, `null` without a value. */
export const AUTOHAND_STRUCTURE =
  "session_id cwd hook_event_name tool_name tool_input tool_use_id tool_response tool_success file_path change_type " +
  "instruction mentioned_files tokens_used tool_calls_count turn_tool_calls turn_duration duration error error_code " +
  "session_type session_end_reason subagent_id subagent_name subagent_type subagent_success subagent_error " +
  "subagent_duration permission_type notification_type notification_message";

const STOPPED = "tokens_used tool_calls_count turn_tool_calls turn_duration duration";
const AUTOMODE = "automode_session_id automode_iteration";
const COSTS = "automode_files_created automode_files_modified automode_total_cost";
const RESEARCH = "autoresearch_goal autoresearch_active autoresearch_iteration";
const ATTEMPT = `${RESEARCH} autoresearch_subcommand autoresearch_attempt_id`;
const REVIEW = "review_path review_scope review_instructions";
const TASK = "team_name teammate_name team_task_id team_task_owner";
/**
 * Which of the fields have a value: the page's tables of events and of variables. The second half: a later version's.
 */
const AUTOHAND: PageFields = {
  "pre-tool": "tool_name tool_input tool_use_id",
  "post-tool": "tool_name tool_input tool_use_id tool_response tool_success duration",
  "file-modified": "file_path change_type",
  "pre-prompt": "instruction mentioned_files",
  stop: STOPPED,
  "post-response": STOPPED,
  "session-start": "session_type",
  "session-end": "session_end_reason duration",
  "session-error": "error error_code",
  "subagent-stop": "subagent_id subagent_name subagent_type subagent_success subagent_duration subagent_error?",
  "permission-request": "tool_name tool_input file_path? permission_type",
  notification: "notification_type notification_message",
  "rate-limit": "error error_code",
  "pre-clear": "",
  "automode:start": `${AUTOMODE} automode_prompt automode_max_iterations`,
  "automode:iteration": `${AUTOMODE} automode_prompt automode_max_iterations automode_actions ${COSTS}`,
  "automode:checkpoint": `${AUTOMODE} automode_checkpoint_commit`,
  "automode:pause": AUTOMODE,
  "automode:resume": AUTOMODE,
  "automode:cancel": `${AUTOMODE} automode_cancel_reason ${COSTS}`,
  "automode:complete": `${AUTOMODE} automode_actions ${COSTS}`,
  "automode:error": `${AUTOMODE} error`,
  "autoresearch:start": RESEARCH,
  "autoresearch:pause": RESEARCH,
  "autoresearch:init": ATTEMPT,
  "autoresearch:before": ATTEMPT,
  "autoresearch:run": ATTEMPT,
  "autoresearch:after": ATTEMPT,
  "autoresearch:log": ATTEMPT,
  "autoresearch:decision": `${ATTEMPT} autoresearch_decision`,
  "autoresearch:replay": ATTEMPT,
  "autoresearch:rescore": ATTEMPT,
  "autoresearch:prune": ATTEMPT,
  "autoresearch:complete": RESEARCH,
  "autoresearch:error": `${RESEARCH} error`,
  "pre-learn": "instruction",
  "post-learn": "instruction duration",
  "goal-written:completed": "goal_id goal_objective goal_source",
  "team-created": "team_name team_member_count",
  "teammate-spawned": "team_name teammate_name teammate_agent_name teammate_pid team_member_count",
  "teammate-idle": "team_name teammate_name team_member_count",
  "task-assigned": TASK,
  "task-completed": `${TASK} team_task_result`,
  "team-shutdown": "team_name team_member_count team_tasks_completed team_tasks_total",
  "review:start": REVIEW,
  "review:end": REVIEW,
  "review:paused": REVIEW,
  "review:failed": `${REVIEW} review_error`,
  "review:completed": REVIEW,
  "mode-change": "",
  "context:compact": "cropped_count summary usage_percent context_reason",
  "context:overflow": "tokens_before tokens_after cropped_count usage_percent",
  "context:warning": "usage_percent remaining_tokens",
  "context:critical": "usage_percent remaining_tokens",
};

const AGENT_CTX = "agentId sessionKey sessionId runId jobId? trace? workspaceDir?";
const TOOL_CTX = "agentId sessionKey sessionId runId jobId? trace?";
const MESSAGE_CTX = "channelId sessionKey runId messageId senderId trace? traceId? spanId? parentSpanId? callDepth?";
const WRITE_CTX = "agentId sessionKey";
const SESSION_CTX = "agentId sessionId sessionKey";
const GATEWAY_CTX = "port? config workspaceDir getCron?";
const SKILL_CTX = "workspaceDir agentId?";
const CHILD_CTX = "requesterSessionKey runId? childSessionKey?";
const MODEL_CALL = "runId callId sessionKey? sessionId? provider model api? transport?";
const INBOUND = "content channel messageId? senderId? sessionKey? isGroup";
const SPAWN = "childSessionKey agentId label? mode threadRequested";

/**
 * Fields of the event, then of its context. If the page names no fields, they are from OpenClaw's own types (2026.9.6).
 */
const OPENCLAW: Readonly<Record<string, readonly [event: string, ctx: string]>> = {
  before_model_resolve: ["prompt attachments", AGENT_CTX],
  before_prompt_build: ["prompt messages", AGENT_CTX],
  agent_turn_prepare: ["prompt messages queuedInjections", AGENT_CTX],
  heartbeat_prompt_contribution: ["sessionKey agentId heartbeatName", AGENT_CTX],
  before_agent_start: ["prompt messages runId", AGENT_CTX],
  before_agent_run: ["prompt messages systemPrompt? channelId? senderId?", AGENT_CTX],
  before_agent_reply: ["cleanedBody", AGENT_CTX],
  before_agent_finalize: ["runId sessionId stopHookActive lastAssistantMessage messages", AGENT_CTX],
  agent_end: ["runId messages success durationMs", AGENT_CTX],
  model_call_started: [MODEL_CALL, AGENT_CTX],
  model_call_ended: [`${MODEL_CALL} durationMs outcome upstreamRequestIdHash`, AGENT_CTX],
  llm_input: ["runId sessionId provider model systemPrompt prompt historyMessages imagesCount", AGENT_CTX],
  llm_output: ["runId sessionId provider model assistantTexts lastAssistant usage", AGENT_CTX],
  before_tool_call: ["toolName params runId toolCallId", TOOL_CTX],
  after_tool_call: ["toolName params runId toolCallId result durationMs", TOOL_CTX],
  tool_result_persist: ["toolName toolCallId message", "agentId sessionKey toolName toolCallId"],
  before_message_write: ["message sessionKey agentId", WRITE_CTX],
  inbound_claim: [INBOUND, MESSAGE_CTX],
  message_received: ["from content threadId messageId senderId sessionKey? runId? metadata", MESSAGE_CTX],
  message_sending: ["to content metadata", MESSAGE_CTX],
  reply_payload_sending: ["payload kind channel sessionKey", MESSAGE_CTX],
  message_sent: ["to content success messageId error?", MESSAGE_CTX],
  before_dispatch: [INBOUND, MESSAGE_CTX],
  reply_dispatch: [
    "ctx runId sessionKey inboundAudio shouldRouteToOriginating shouldSendToolSummaries shouldSendFullToolDetails sendPolicy",
    MESSAGE_CTX,
  ],
  session_start: ["sessionId sessionKey", SESSION_CTX],
  session_end: ["sessionId sessionKey messageCount reason", SESSION_CTX],
  before_compaction: ["messageCount tokenCount", AGENT_CTX],
  after_compaction: ["messageCount tokenCount compactedCount", AGENT_CTX],
  before_reset: ["messages reason", AGENT_CTX],
  subagent_spawning: [SPAWN, CHILD_CTX],
  subagent_delivery_target: ["childSessionKey requesterSessionKey expectsCompletionMessage", CHILD_CTX],
  subagent_spawned: [`${SPAWN} runId`, CHILD_CTX],
  subagent_ended: ["targetSessionKey targetKind reason runId outcome", CHILD_CTX],
  gateway_start: ["port", GATEWAY_CTX],
  gateway_stop: ["reason", GATEWAY_CTX],
  before_install: [
    "targetType targetName sourcePath sourcePathKind request builtinScan skill? plugin?",
    "targetType requestKind",
  ],
  resolve_exec_env: ["sessionKey toolName host", AGENT_CTX],
  skill_proposal_evaluate: ["proposal skill candidate reason", SKILL_CTX],
  skill_changed: ["action source occurredAt after", SKILL_CTX],
};

const joined = (common: string, events: PageFields): PageFields =>
  Object.fromEntries(Object.entries(events).map(([event, fields]) => [event, `${common} ${fields}`]));

/**
 * By dialect and event. Fields of OpenClaw's context are written `ctx.NAME`, those of its event and of an envelope
 * without a prefix.
 */
export const PAGE_FIELDS: Readonly<Record<string, PageFields>> = {
  "claude-code": joined(CLAUDE_COMMON, CLAUDE),
  // The page of the generic pattern names events, and no fields: they are Claude Code's.
  patterns: joined(CLAUDE_COMMON, CLAUDE),
  "docker-agent": joined(DOCKER_COMMON, DOCKER),
  agentao: AGENTAO,
  autohand: joined("session_id cwd hook_event_name", AUTOHAND),
  openclaw: Object.fromEntries(
    Object.entries(OPENCLAW).map(([event, [fields, ctx]]) => [
      event,
      [fields, ...ctx.split(" ").map((field) => `ctx.${field}`)].join(" "),
    ]),
  ),
};
