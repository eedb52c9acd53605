import type { Action } from "./actions.ts";
import type { ToolNameAndInput } from "./tool-inputs.ts";

/**
 * Payloads by event, with the field names of Claude Code's hooks reference. hookbox translates other agents' payloads
 * to these names. Fields that an agent or a version may omit are optional. An agent may send more fields than are typed
 * here.
 */
export interface EventPayloads {
  PreToolUse: PreToolUseEvent;
  PermissionRequest: PermissionRequestEvent;
  PostToolUse: PostToolUseEvent;
  PostToolUseFailure: PostToolUseFailureEvent;
  PermissionDenied: PermissionDeniedEvent;
  PostToolBatch: PostToolBatchEvent;
  UserPromptSubmit: UserPromptSubmitEvent;
  UserPromptExpansion: UserPromptExpansionEvent;
  Stop: StopEvent;
  SubagentStop: SubagentStopEvent;
  StopFailure: StopFailureEvent;
  SubagentStart: SubagentStartEvent;
  MessageDisplay: MessageDisplayEvent;
  TaskCreated: TaskCreatedEvent;
  TaskCompleted: TaskCompletedEvent;
  TeammateIdle: TeammateIdleEvent;
  SessionStart: SessionStartEvent;
  Setup: SetupEvent;
  SessionEnd: SessionEndEvent;
  InstructionsLoaded: InstructionsLoadedEvent;
  ConfigChange: ConfigChangeEvent;
  CwdChanged: CwdChangedEvent;
  FileChanged: FileChangedEvent;
  DirectoryAdded: DirectoryAddedEvent;
  Notification: NotificationEvent;
  PreCompact: PreCompactEvent;
  PostCompact: PostCompactEvent;
  PreModelSwitch: PreModelSwitchEvent;
  PostModelSwitch: PostModelSwitchEvent;
  Elicitation: ElicitationEvent;
  ElicitationResult: ElicitationResultEvent;
  WorktreeCreate: WorktreeCreateEvent;
  WorktreeRemove: WorktreeRemoveEvent;
  ToolInputTransform: ToolInputTransformEvent;
  ToolGuard: ToolGuardEvent;
  ToolApprovalDecision: ToolApprovalDecisionEvent;
  ToolResponseTransform: ToolResponseTransformEvent;
  UserSteeringMessagesSubmit: UserSteeringMessagesSubmitEvent;
  UserFollowupSubmit: UserFollowupSubmitEvent;
  UserInput: UserInputEvent;
  TurnStart: TurnStartEvent;
  TurnEnd: TurnEndEvent;
  BeforeModelCall: BeforeModelCallEvent;
  AfterModelCall: AfterModelCallEvent;
  MaxIterations: MaxIterationsEvent;
  AgentError: AgentErrorEvent;
  AgentSwitch: AgentSwitchEvent;
  SessionResume: SessionResumeEvent;
  BeforeCompaction: BeforeCompactionEvent;
  AfterCompaction: AfterCompactionEvent;
  AutomodeStart: UntypedEvent<"AutomodeStart">;
  AutomodeIteration: UntypedEvent<"AutomodeIteration">;
  AutomodeCheckpoint: UntypedEvent<"AutomodeCheckpoint">;
  AutomodePause: UntypedEvent<"AutomodePause">;
  AutomodeResume: UntypedEvent<"AutomodeResume">;
  AutomodeCancel: UntypedEvent<"AutomodeCancel">;
  AutomodeComplete: UntypedEvent<"AutomodeComplete">;
  AutomodeError: UntypedEvent<"AutomodeError">;
  AutoresearchStart: UntypedEvent<"AutoresearchStart">;
  AutoresearchPause: UntypedEvent<"AutoresearchPause">;
  AutoresearchInit: UntypedEvent<"AutoresearchInit">;
  AutoresearchBefore: UntypedEvent<"AutoresearchBefore">;
  AutoresearchRun: UntypedEvent<"AutoresearchRun">;
  AutoresearchAfter: UntypedEvent<"AutoresearchAfter">;
  AutoresearchLog: UntypedEvent<"AutoresearchLog">;
  AutoresearchDecision: UntypedEvent<"AutoresearchDecision">;
  AutoresearchReplay: UntypedEvent<"AutoresearchReplay">;
  AutoresearchRescore: UntypedEvent<"AutoresearchRescore">;
  AutoresearchPrune: UntypedEvent<"AutoresearchPrune">;
  AutoresearchComplete: UntypedEvent<"AutoresearchComplete">;
  AutoresearchError: UntypedEvent<"AutoresearchError">;
  ReviewStart: UntypedEvent<"ReviewStart">;
  ReviewEnd: UntypedEvent<"ReviewEnd">;
  ReviewPaused: UntypedEvent<"ReviewPaused">;
  ReviewFailed: UntypedEvent<"ReviewFailed">;
  ReviewCompleted: UntypedEvent<"ReviewCompleted">;
  BeforeLearn: UntypedEvent<"BeforeLearn">;
  AfterLearn: UntypedEvent<"AfterLearn">;
  GoalCompleted: UntypedEvent<"GoalCompleted">;
  TeamCreated: UntypedEvent<"TeamCreated">;
  TeamShutdown: UntypedEvent<"TeamShutdown">;
  TeammateSpawned: UntypedEvent<"TeammateSpawned">;
  TaskAssigned: UntypedEvent<"TaskAssigned">;
  ModeChange: UntypedEvent<"ModeChange">;
  RateLimited: UntypedEvent<"RateLimited">;
  BeforeClear: UntypedEvent<"BeforeClear">;
  ContextOverflow: UntypedEvent<"ContextOverflow">;
  ContextWarning: UntypedEvent<"ContextWarning">;
  ContextCritical: UntypedEvent<"ContextCritical">;
  InboundClaim: UntypedEvent<"InboundClaim">;
  BeforeDispatch: UntypedEvent<"BeforeDispatch">;
  ReplyDispatch: UntypedEvent<"ReplyDispatch">;
  BeforeAgentReply: UntypedEvent<"BeforeAgentReply">;
  MessageReceived: UntypedEvent<"MessageReceived">;
  MessageSending: UntypedEvent<"MessageSending">;
  ReplyPayloadSending: UntypedEvent<"ReplyPayloadSending">;
  MessageSent: UntypedEvent<"MessageSent">;
  BeforeModelResolve: UntypedEvent<"BeforeModelResolve">;
  BeforePromptBuild: UntypedEvent<"BeforePromptBuild">;
  AgentTurnPrepare: UntypedEvent<"AgentTurnPrepare">;
  BeforeAgentStart: UntypedEvent<"BeforeAgentStart">;
  HeartbeatPrompt: UntypedEvent<"HeartbeatPrompt">;
  BeforeAgentRun: UntypedEvent<"BeforeAgentRun">;
  ModelInput: UntypedEvent<"ModelInput">;
  ModelCallStarted: UntypedEvent<"ModelCallStarted">;
  ModelCallEnded: UntypedEvent<"ModelCallEnded">;
  ToolResultPersist: UntypedEvent<"ToolResultPersist">;
  BeforeMessageWrite: UntypedEvent<"BeforeMessageWrite">;
  BeforeReset: UntypedEvent<"BeforeReset">;
  SubagentSpawning: UntypedEvent<"SubagentSpawning">;
  SubagentDeliveryTarget: UntypedEvent<"SubagentDeliveryTarget">;
  BeforeInstall: UntypedEvent<"BeforeInstall">;
  ResolveExecEnv: UntypedEvent<"ResolveExecEnv">;
  SkillProposalEvaluate: UntypedEvent<"SkillProposalEvaluate">;
  SkillChanged: UntypedEvent<"SkillChanged">;
  GatewayStart: UntypedEvent<"GatewayStart">;
  GatewayStop: UntypedEvent<"GatewayStop">;
}

export type EventName = keyof EventPayloads;

/** The fields of every event. */
export interface EventBase<Name extends string> {
  hook_event_name: Name;
  /** Version of the guest ABI. */
  abi: 1;
  /** The agent family that sent the event, e.g. `claude-code`. */
  dialect: string;
  session_id?: string;
  transcript_path?: string;
  cwd?: string;
  prompt_id?: string;
  permission_mode?: OpenUnion<"default" | "acceptEdits" | "bypassPermissions" | "plan" | "dontAsk" | "auto">;
  /** The subagent's id. Set only inside of a subagent. */
  agent_id?: string;
  agent_type?: string;
  effort?: { level: OpenUnion<"low" | "medium" | "high" | "xhigh" | "max"> };
  scratchpad_dir?: string;
}

/** The fields of every event of one tool call. */
interface ToolEventBase<Name extends string> extends EventBase<Name> {
  /** What the call does, whatever the agent calls its tool. The host computes the actions from the tool's input. */
  actions: readonly Action[];
}

/** The known words, for completion, and any other word that a later version may add. */
export type OpenUnion<Known extends string> = Known | (string & {});

/** An MCP server. Decide by its `source`, because anyone can choose its `name`. */
export interface McpServer {
  name: string;
  source: OpenUnion<
    "sdk" | "plugin" | "user" | "project" | "local" | "dynamic" | "managed" | "enterprise" | "claudeai" | "agent"
  >;
}

export type PermissionUpdate =
  | {
      type: "addRules" | "replaceRules" | "removeRules";
      rules: { toolName: string; ruleContent?: string }[];
      behavior: "allow" | "deny" | "ask";
      destination: PermissionUpdateDestination;
    }
  | { type: "setMode"; mode: string; destination: PermissionUpdateDestination }
  | {
      type: "addDirectories" | "removeDirectories";
      directories: string[];
      destination: PermissionUpdateDestination;
    };

export type PermissionUpdateDestination = "userSettings" | "projectSettings" | "localSettings" | "session" | "cliArg";

export interface BackgroundTask {
  id: string;
  type: string;
  status: string;
  description: string;
  command?: string;
  agent_type?: string;
  server?: string;
  tool?: string;
  name?: string;
}

export interface SessionCron {
  id: string;
  schedule: string;
  recurring: boolean;
  prompt: string;
}

interface PreToolUseFields extends ToolEventBase<"PreToolUse"> {
  tool_use_id?: string;
  mcp_server?: McpServer;
}
/** Sent before a tool runs. Comparing `tool_name` narrows `tool_input`. */
export type PreToolUseEvent = PreToolUseFields & ToolNameAndInput;

interface PermissionRequestFields extends ToolEventBase<"PermissionRequest"> {
  permission_suggestions?: PermissionUpdate[];
  mcp_server?: McpServer;
}
/** Sent when the agent is about to ask the user. Comparing `tool_name` narrows `tool_input`. */
export type PermissionRequestEvent = PermissionRequestFields & ToolNameAndInput;

interface PostToolUseFields extends ToolEventBase<"PostToolUse"> {
  tool_response: unknown;
  tool_use_id?: string;
  duration_ms?: number;
  mcp_server?: McpServer;
}
/** Sent after a tool has run. Comparing `tool_name` narrows `tool_input`. */
export type PostToolUseEvent = PostToolUseFields & ToolNameAndInput;

interface PostToolUseFailureFields extends ToolEventBase<"PostToolUseFailure"> {
  error: string;
  tool_use_id?: string;
  is_interrupt?: boolean;
  duration_ms?: number;
  mcp_server?: McpServer;
}
/** Sent after a tool has failed. Comparing `tool_name` narrows `tool_input`. */
export type PostToolUseFailureEvent = PostToolUseFailureFields & ToolNameAndInput;

interface PermissionDeniedFields extends ToolEventBase<"PermissionDenied"> {
  reason: string;
  tool_use_id?: string;
  mcp_server?: McpServer;
}
/** Sent after the agent's own classifier refused a call. Comparing `tool_name` narrows `tool_input`. */
export type PermissionDeniedEvent = PermissionDeniedFields & ToolNameAndInput;

/** Sent after all tool calls of one step have run. */
export interface PostToolBatchEvent extends EventBase<"PostToolBatch"> {
  /** The calls of the step. `tool_response` is the text that the model sees. */
  tool_calls: (ToolNameAndInput & { tool_use_id: string; tool_response?: unknown })[];
}

export interface UserPromptSubmitEvent extends EventBase<"UserPromptSubmit"> {
  prompt: string;
  source?: OpenUnion<"user" | "sdk" | "system" | "loop_wakeup" | "schedule_wakeup" | "poll_event">;
  session_title?: string;
}

export interface UserPromptExpansionEvent extends EventBase<"UserPromptExpansion"> {
  expansion_type: OpenUnion<"slash_command" | "mcp_prompt">;
  command_name: string;
  command_args: string;
  command_source?: string;
  prompt: string;
}

/** Sent when the agent is about to end its turn. `deny` makes the agent continue. */
export interface StopEvent extends EventBase<"Stop"> {
  /**
   * Whether the agent already continues because a hook blocked its end. Check this field, because the agent may
   * otherwise never end.
   */
  stop_hook_active: boolean;
  last_assistant_message?: string;
  background_tasks?: BackgroundTask[];
  session_crons?: SessionCron[];
}

/** Sent when a subagent is about to end. `deny` makes the subagent continue. */
export interface SubagentStopEvent extends EventBase<"SubagentStop"> {
  agent_id: string;
  agent_type: string;
  agent_transcript_path: string;
  stop_hook_active: boolean;
  last_assistant_message?: string;
  background_tasks?: BackgroundTask[];
  session_crons?: SessionCron[];
}

export interface StopFailureEvent extends EventBase<"StopFailure"> {
  error: OpenUnion<
    | "authentication_failed"
    | "oauth_org_not_allowed"
    | "account_on_hold"
    | "verification_required"
    | "billing_error"
    | "rate_limit"
    | "overloaded"
    | "invalid_request"
    | "model_not_found"
    | "server_error"
    | "unknown"
    | "max_output_tokens"
    | "cloud_credential_error"
  >;
  error_details?: string;
  last_assistant_message?: string;
}

export interface SubagentStartEvent extends EventBase<"SubagentStart"> {
  agent_id: string;
  agent_type: string;
}

export interface MessageDisplayEvent extends EventBase<"MessageDisplay"> {
  turn_id: string;
  message_id: string;
  index: number;
  final: boolean;
  delta: string;
}

interface TaskFields {
  task_id: string;
  task_subject: string;
  task_description?: string;
  teammate_name?: string;
  /** @deprecated by the agent */
  team_name?: string;
}
export interface TaskCreatedEvent extends EventBase<"TaskCreated">, TaskFields {}
/** Sent when a task is about to be completed. `deny` refuses the completion, and the agent continues. */
export interface TaskCompletedEvent extends EventBase<"TaskCompleted">, TaskFields {}

/** Sent when a teammate is about to be idle. `deny` makes the teammate continue. */
export interface TeammateIdleEvent extends EventBase<"TeammateIdle"> {
  teammate_name: string;
  /** @deprecated by the agent */
  team_name?: string;
}

export interface SessionStartEvent extends EventBase<"SessionStart"> {
  source: OpenUnion<"startup" | "resume" | "clear" | "compact" | "fork">;
  model?: string;
  session_title?: string;
  seconds_since_last_response?: number;
  context_tokens?: number;
  prompt_cache_likely_expired?: boolean;
  estimated_cache_write_usd?: number;
}

export interface SetupEvent extends EventBase<"Setup"> {
  trigger: OpenUnion<"init" | "maintenance">;
}

export interface SessionEndEvent extends EventBase<"SessionEnd"> {
  reason: OpenUnion<"clear" | "resume" | "logout" | "prompt_input_exit" | "other">;
}

export interface InstructionsLoadedEvent extends EventBase<"InstructionsLoaded"> {
  file_path: string;
  memory_type: OpenUnion<"User" | "Project" | "Local" | "Managed">;
  load_reason: OpenUnion<"session_start" | "nested_traversal" | "path_glob_match" | "include" | "compact">;
  globs?: string[];
  trigger_file_path?: string;
  parent_file_path?: string;
}

export interface ConfigChangeEvent extends EventBase<"ConfigChange"> {
  source: OpenUnion<"user_settings" | "project_settings" | "local_settings" | "policy_settings" | "skills">;
  file_path?: string;
}

export interface CwdChangedEvent extends EventBase<"CwdChanged"> {
  old_cwd: string;
  new_cwd: string;
}

export interface FileChangedEvent extends EventBase<"FileChanged"> {
  file_path: string;
  event: OpenUnion<"change" | "add" | "unlink">;
}

export interface DirectoryAddedEvent extends EventBase<"DirectoryAdded"> {
  directory: string;
  source: OpenUnion<"slash_command" | "register_repo_root">;
}

export interface NotificationEvent extends EventBase<"Notification"> {
  message: string;
  title?: string;
  notification_type: string;
}

export interface PreCompactEvent extends EventBase<"PreCompact"> {
  trigger: OpenUnion<"manual" | "auto">;
  custom_instructions: string | null;
}

export interface PostCompactEvent extends EventBase<"PostCompact"> {
  trigger: OpenUnion<"manual" | "auto">;
  compact_summary: string;
}

interface ModelSwitchFields {
  from_model: string;
  to_model: string;
  requested_model: string | null;
  context_tokens: number;
  prompt_cache_warm: boolean;
  cache_ttl: OpenUnion<"5m" | "1h">;
  estimated_cache_write_usd: number;
  pricing: OpenUnion<"configured" | "catalog" | "default">;
}
export interface PreModelSwitchEvent extends EventBase<"PreModelSwitch">, ModelSwitchFields {
  source: OpenUnion<"command" | "picker" | "sdk">;
}
export interface PostModelSwitchEvent extends EventBase<"PostModelSwitch">, ModelSwitchFields {
  source: OpenUnion<"command" | "picker" | "sdk" | "auto" | "resume">;
}

/** Sent when an MCP server asks the user a question. */
export interface ElicitationEvent extends EventBase<"Elicitation"> {
  mcp_server_name: string;
  message: string;
  mode?: OpenUnion<"form" | "url">;
  url?: string;
  elicitation_id?: string;
  requested_schema?: Record<string, unknown>;
}

/** Sent after the user answered an MCP server. */
export interface ElicitationResultEvent extends EventBase<"ElicitationResult"> {
  mcp_server_name: string;
  action: OpenUnion<"accept" | "decline" | "cancel">;
  content?: Record<string, unknown>;
  mode?: OpenUnion<"form" | "url">;
  elicitation_id?: string;
}

export interface WorktreeCreateEvent extends EventBase<"WorktreeCreate"> {
  name: string;
}

export interface WorktreeRemoveEvent extends EventBase<"WorktreeRemove"> {
  worktree_path: string;
}

interface ToolCallFields {
  tool_use_id?: string;
  agent_name?: string;
  tool_category?: string;
  safety_policy?: string;
}

interface ToolInputTransformFields extends ToolEventBase<"ToolInputTransform">, ToolCallFields {}
/** Sent before any other hook sees a call. Comparing `tool_name` narrows `tool_input`. */
export type ToolInputTransformEvent = ToolInputTransformFields & ToolNameAndInput;

interface ToolGuardFields extends ToolEventBase<"ToolGuard">, ToolCallFields {}
/** Sent before every call, also for calls that are already allowed. Comparing `tool_name` narrows `tool_input`. */
export type ToolGuardEvent = ToolGuardFields & ToolNameAndInput;

interface ToolApprovalDecisionFields extends ToolEventBase<"ToolApprovalDecision">, ToolCallFields {
  approval_decision?: OpenUnion<"allow" | "deny" | "canceled">;
  approval_source?: string;
  safety_label?: unknown;
}
/** Sent after the agent has decided whether a call runs. Comparing `tool_name` narrows `tool_input`. */
export type ToolApprovalDecisionEvent = ToolApprovalDecisionFields & ToolNameAndInput;

interface ToolResponseTransformFields extends ToolEventBase<"ToolResponseTransform">, ToolCallFields {
  tool_response: unknown;
}
/** Sent before any other hook sees a tool's result. Comparing `tool_name` narrows `tool_input`. */
export type ToolResponseTransformEvent = ToolResponseTransformFields & ToolNameAndInput;

export interface UserSteeringMessagesSubmitEvent extends EventBase<"UserSteeringMessagesSubmit"> {
  steering_messages?: string[];
}

export interface UserFollowupSubmitEvent extends EventBase<"UserFollowupSubmit"> {
  prompt: string;
}

/** Sent when the agent waits for its user. */
export interface UserInputEvent extends EventBase<"UserInput"> {}

export interface TurnStartEvent extends EventBase<"TurnStart"> {}

export interface TurnEndEvent extends EventBase<"TurnEnd"> {
  agent_name?: string;
  reason?: OpenUnion<"normal" | "continue" | "steered" | "error" | "canceled" | "hook_blocked" | "loop_detected">;
}

export interface BeforeModelCallEvent extends EventBase<"BeforeModelCall"> {
  iteration?: number;
  model_id?: string;
  messages?: unknown[];
}

export interface AfterModelCallEvent extends EventBase<"AfterModelCall"> {
  agent_name?: string;
  last_assistant_message?: string;
  last_user_message?: string;
  model_id?: string;
  usage?: Record<string, unknown>;
  cost?: number;
}

interface NoticeFields {
  message?: string;
  notification_type?: string;
}
export interface MaxIterationsEvent extends EventBase<"MaxIterations">, NoticeFields {}
export interface AgentErrorEvent extends EventBase<"AgentError">, NoticeFields {}

export interface AgentSwitchEvent extends EventBase<"AgentSwitch"> {
  from_agent?: string;
  to_agent?: string;
  agent_switch_kind?: OpenUnion<"transfer_task" | "transfer_task_return" | "handoff" | "force_handoff">;
}

export interface SessionResumeEvent extends EventBase<"SessionResume"> {
  previous_max_iterations?: number;
  new_max_iterations?: number;
}

/** An event that only one agent has. Its fields are the agent's own, in snake case. */
export interface UntypedEvent<Name extends string> extends EventBase<Name> {
  [field: string]: unknown;
}

interface CompactionFields {
  input_tokens?: number;
  output_tokens?: number;
  /** The limit of the context. 0 if it is unknown. */
  context_limit?: number;
  compaction_reason?: OpenUnion<"threshold" | "overflow" | "manual">;
}
export interface BeforeCompactionEvent extends EventBase<"BeforeCompaction">, CompactionFields {}
export interface AfterCompactionEvent extends EventBase<"AfterCompaction">, CompactionFields {
  summary?: string;
}
