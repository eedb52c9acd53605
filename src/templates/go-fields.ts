import type { JsonValue } from "../json.ts";

/** The names of an event's fields in templates: those of docker-agent's hook input in its Go code. */

export interface GoField {
  /** Keys in the payload, in order of preference: docker-agent's name, then the canonical name if it differs. */
  readonly keys: readonly string[];
  /** The value if the payload lacks the field, because Go's structures always have all fields. */
  readonly zero: JsonValue;
  /** The fields of the structure, or of each item of the list. If absent, the value's own keys are used. */
  readonly fields?: GoFields;
}

export type GoFields = Readonly<Record<string, GoField>>;

const text = (...keys: string[]): GoField => ({ keys, zero: "" });
const count = (key: string): GoField => ({ keys: [key], zero: 0 });
const flag = (key: string): GoField => ({ keys: [key], zero: false });
const list = (key: string, fields?: GoFields): GoField => ({
  keys: [key],
  zero: [],
  ...(fields === undefined ? {} : { fields }),
});
const maybe = (key: string, fields?: GoFields): GoField => ({
  keys: [key],
  zero: null,
  ...(fields === undefined ? {} : { fields }),
});

const USAGE: GoFields = {
  InputTokens: count("input_tokens"),
  OutputTokens: count("output_tokens"),
  CachedInputTokens: count("cached_input_tokens"),
  CacheWriteTokens: count("cached_write_tokens"),
  ReasoningTokens: count("reasoning_tokens"),
};

const CALL: GoFields = {
  ID: text("id"),
  Type: text("type"),
  Function: maybe("function", { Name: text("name"), Arguments: text("arguments") }),
};

const MESSAGE: GoFields = {
  Role: text("role"),
  Content: text("content"),
  MultiContent: list("multi_content", {
    Type: text("type"),
    Text: text("text"),
    ImageURL: maybe("image_url"),
    File: maybe("file"),
    Document: maybe("document"),
  }),
  ReasoningContent: text("reasoning_content"),
  ThinkingSignature: text("thinking_signature"),
  ThoughtSignature: maybe("thought_signature"),
  FunctionCall: maybe("function_call", { Name: text("name"), Arguments: text("arguments") }),
  ToolCalls: list("tool_calls", CALL),
  ToolDefinitions: list("tool_definitions"),
  ToolCallID: text("tool_call_id"),
  IsError: flag("is_error"),
  CreatedAt: text("created_at"),
  Usage: maybe("usage", USAGE),
  Model: text("model"),
  Cost: count("cost"),
  FinishReason: text("finish_reason"),
};

const ENDPOINT: GoFields = {
  Provider: text("provider"),
  Model: text("model"),
  BaseURL: text("base_url"),
  UnloadAPI: text("unload_api"),
};

export const GO_FIELDS: GoFields = {
  SessionID: text("session_id"),
  Cwd: text("cwd"),
  HookEventName: text("hook_event_name"),
  AgentName: text("agent_name", "agent_type"),
  ModelID: text("model_id"),
  Iteration: count("iteration"),
  LastUserMessage: text("last_user_message"),
  ToolCategory: text("tool_category"),
  ToolName: text("tool_name"),
  ToolUseID: text("tool_use_id"),
  ToolInput: { keys: ["tool_input"], zero: {} },
  ToolReadOnly: flag("tool_read_only"),
  SafetyPolicy: text("safety_policy"),
  ToolResponse: maybe("tool_response"),
  ToolError: flag("tool_error"),
  Messages: list("messages", MESSAGE),
  Source: text("source", "trigger"),
  Reason: text("reason"),
  StopResponse: text("stop_response", "last_assistant_message"),
  Prompt: text("prompt"),
  SteeringMessages: list("steering_messages"),
  ParentSessionID: text("parent_session_id"),
  NotificationLevel: text("notification_level", "notification_type"),
  NotificationMessage: text("notification_message", "message"),
  FromAgent: text("from_agent"),
  ToAgent: text("to_agent"),
  AgentSwitchKind: text("agent_switch_kind"),
  FromAgentModels: list("from_agent_models", ENDPOINT),
  PreviousMaxIterations: count("previous_max_iterations"),
  NewMaxIterations: count("new_max_iterations"),
  ApprovalDecision: text("approval_decision"),
  ApprovalSource: text("approval_source"),
  SafetyLabel: text("safety_label"),
  Usage: maybe("usage", USAGE),
  Cost: maybe("cost"),
  InputTokens: count("input_tokens"),
  OutputTokens: count("output_tokens"),
  ContextLimit: count("context_limit"),
  CompactionReason: text("compaction_reason"),
  Summary: text("summary"),
  WorktreePath: text("worktree_path"),
  WorktreeBranch: text("worktree_branch"),
  WorktreeSourceDir: text("worktree_source_dir"),
};
