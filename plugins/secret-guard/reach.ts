// The events with texts of a user, a model or a tool, and what a reply can do about a secret in these texts.

/**
 * `input`: the call is denied, or its input is replaced. `result`, `messages`, `display`, `answer`: the reply replaces
 * the value. `refusal`: the reply can only refuse. `notice`: the reply can only tell the user.
 */
export type Reach = "input" | "result" | "messages" | "display" | "answer" | "refusal" | "notice";

interface Row {
  readonly reach: Reach;
  /** The fields with text. A value that a reply replaces is in the first field. */
  readonly fields: readonly string[];
}

const row = (reach: Reach, ...fields: readonly string[]): Row => ({ reach, fields });
const INPUT = row("input", "tool_input");
const RESULT = row("result", "tool_response");
const PROMPT = row("refusal", "prompt");
const LAST = row("notice", "last_assistant_message");

export const ROWS = {
  PreToolUse: INPUT,
  ToolInputTransform: INPUT,
  PermissionRequest: INPUT,
  ToolGuard: INPUT,
  PostToolUse: RESULT,
  ToolResponseTransform: RESULT,
  ToolResultPersist: RESULT,
  BeforeMessageWrite: RESULT,
  MessageSending: RESULT,
  ReplyPayloadSending: RESULT,
  BeforeModelCall: row("messages", "messages"),
  MessageDisplay: row("display", "delta"),
  ElicitationResult: row("answer", "content"),
  UserPromptSubmit: PROMPT,
  UserPromptExpansion: row("refusal", "prompt", "command_args"),
  UserSteeringMessagesSubmit: row("refusal", "steering_messages"),
  UserFollowupSubmit: PROMPT,
  BeforeAgentRun: PROMPT,
  TaskCreated: row("refusal", "task_subject", "task_description"),
  PostToolUseFailure: row("notice", "error"),
  PostToolBatch: row("notice", "tool_calls"),
  Stop: LAST,
  SubagentStop: LAST,
  AfterModelCall: LAST,
  MessageReceived: row("notice", "content"),
  ModelInput: row("notice", "prompt", "system_prompt"),
  PostCompact: row("notice", "compact_summary"),
  AfterCompaction: row("notice", "summary"),
  Notification: row("notice", "message", "title"),
} as const satisfies Readonly<Record<string, Row>>;

export type Event = keyof typeof ROWS;

/** Events at which a block after the fact keeps the agent from going on with a result. */
const BLOCKS_AFTER: ReadonlySet<string> = new Set(["PostToolUse", "PostToolUseFailure", "PostToolBatch"]);

/** Agents that do not read a new result, or a new input, from a reply to these events. */
const KEPT_RESULTS: ReadonlySet<unknown> = new Set(["docker-agent", "agentao", "autohand", "openclaw"]);
const KEPT_INPUTS: ReadonlySet<unknown> = new Set(["agentao"]);

/** Returns what a reply can do in an agent. */
export function reachOf(event: Event, dialect: unknown): Reach {
  return event === "PostToolUse" && KEPT_RESULTS.has(dialect) ? "notice" : ROWS[event].reach;
}

/** Whether a reply can replace the input of a tool call. At other events of a call, the agent asks about its own input. */
export function canReplaceInput(event: Event, dialect: unknown): boolean {
  return event === "ToolInputTransform" || (event === "PreToolUse" && !KEPT_INPUTS.has(dialect));
}

/** Whether a denial stops the agent after a tool has run. OpenClaw reads no answer there. */
export function canBlockAfter(event: Event, dialect: unknown): boolean {
  return BLOCKS_AFTER.has(event) && dialect !== "openclaw";
}
