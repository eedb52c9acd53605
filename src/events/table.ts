import type { EventRow } from "./contract.ts";

/**
 * One row per canonical event, from Claude Code's hooks reference (2.1.295) and the types of its agent SDK (0.3.329).
 *
 * `onFailure` is `deny` wherever the gate guards an action that can be tried again. It is `continue` where blocking
 * means that the agent goes on (a trapping guard must not loop it for ever) and where a denial would strand the
 * session (a compaction that has to happen).
 */

const ANY_HANDLER = ["command", "http", "mcp_tool", "model", "agent", "wasm", "function", "context"] as const;
const NO_MODEL = ["command", "http", "mcp_tool", "wasm", "function", "context"] as const;
/** At start-up there is no HTTP policy to go by and no model to ask. */
const LOCAL_ONLY = ["command", "mcp_tool", "wasm", "function", "context"] as const;

const observer = {
  subject: null,
  subjectForm: "value",
  matcherStyle: "wide",
  required: [],
  kind: "observer",
  blockMeansGoOn: false,
  verdicts: [],
  rewrites: null,
  rewriteMode: "replace",
  metadata: false,
  context: null,
  plainTextIsContext: false,
  order: "parallel",
  onFailure: "continue",
  failsClosed: false,
  survivesCancellation: false,
  failuresDeny: [],
  handlers: NO_MODEL,
  specific: [],
} as const satisfies EventRow;

const gate = { ...observer, kind: "gate", onFailure: "deny", handlers: ANY_HANDLER } as const satisfies EventRow;
const toolEvent = { subject: "tool_name", required: ["tool_name"] } as const;
const goOn = {
  ...gate,
  blockMeansGoOn: true,
  verdicts: ["block", "continue:false"],
  onFailure: "continue",
} as const satisfies EventRow;

export const EVENTS = {
  PreToolUse: {
    ...gate,
    ...toolEvent,
    verdicts: ["allow", "deny", "ask", "defer", "continue:false"],
    rewrites: "input",
    context: "stays",
  },
  PermissionRequest: {
    ...gate,
    ...toolEvent,
    verdicts: ["allow", "deny", "ask", "continue:false"],
    rewrites: "input",
    specific: ["updatedPermissions", "interrupt"],
  },
  PostToolUse: {
    ...observer,
    ...toolEvent,
    verdicts: ["block", "continue:false"],
    rewrites: "output",
    context: "stays",
    handlers: ANY_HANDLER,
    specific: ["classifierContext"],
  },
  PostToolUseFailure: {
    ...observer,
    ...toolEvent,
    verdicts: ["block", "continue:false"],
    context: "stays",
    handlers: ANY_HANDLER,
  },
  PermissionDenied: {
    ...observer,
    ...toolEvent,
    verdicts: ["continue:false"],
    handlers: ANY_HANDLER,
    specific: ["retry"],
  },
  // The tools have run; blocking ends the loop before the next model call.
  PostToolBatch: { ...gate, verdicts: ["block", "continue:false"], context: "stays", onFailure: "continue" },

  UserPromptSubmit: {
    ...gate,
    required: ["prompt"],
    verdicts: ["block", "continue:false"],
    context: "stays",
    plainTextIsContext: true,
    specific: ["sessionTitle", "suppressOriginalPrompt"],
  },
  UserPromptExpansion: {
    ...gate,
    subject: "command_name",
    required: ["command_name"],
    verdicts: ["block", "continue:false"],
    context: "stays",
    plainTextIsContext: true,
    specific: ["suppressOriginalPrompt"],
  },
  Stop: { ...goOn, context: "turn" },
  SubagentStop: { ...goOn, subject: "agent_type", context: "turn" },
  StopFailure: { ...observer, subject: "error", matcherStyle: "narrow" },
  SubagentStart: { ...observer, subject: "agent_type", verdicts: ["continue:false"], context: "stays" },
  MessageDisplay: { ...observer, specific: ["displayContent"] },
  TaskCreated: { ...gate, verdicts: ["block"] },
  TaskCompleted: goOn,
  TeammateIdle: goOn,

  SessionStart: {
    ...observer,
    subject: "source",
    verdicts: ["continue:false"],
    context: "stays",
    plainTextIsContext: true,
    handlers: LOCAL_ONLY,
    specific: ["initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills"],
  },
  Setup: { ...observer, subject: "trigger", verdicts: ["continue:false"], context: "stays", handlers: LOCAL_ONLY },
  SessionEnd: { ...observer, subject: "reason", survivesCancellation: true },
  InstructionsLoaded: { ...observer, subject: "load_reason" },
  ConfigChange: { ...gate, subject: "source", verdicts: ["block"], handlers: NO_MODEL },
  CwdChanged: { ...observer, specific: ["watchPaths"] },
  FileChanged: {
    ...observer,
    subject: "file_path",
    subjectForm: "basename",
    matcherStyle: "narrow",
    specific: ["watchPaths"],
  },
  DirectoryAdded: { ...observer, subject: "source" },
  Notification: { ...observer, subject: "notification_type" },
  // A context that has overflowed must be compacted, or the session is lost.
  PreCompact: { ...gate, subject: "trigger", verdicts: ["block"], onFailure: "continue", handlers: NO_MODEL },
  PostCompact: { ...observer, subject: "trigger" },
  PreModelSwitch: {
    ...gate,
    subject: "to_model",
    subjectForm: "model",
    failuresDeny: ["timeout"],
    verdicts: ["allow", "deny", "ask", "continue:false"],
    handlers: NO_MODEL,
  },
  PostModelSwitch: {
    ...observer,
    subject: "to_model",
    subjectForm: "model",
    verdicts: ["continue:false"],
    context: "stays",
    plainTextIsContext: true,
  },
  Elicitation: {
    ...gate,
    subject: "mcp_server_name",
    verdicts: ["block"],
    handlers: NO_MODEL,
    specific: ["action", "content"],
  },
  ElicitationResult: {
    ...gate,
    subject: "mcp_server_name",
    verdicts: ["block"],
    handlers: NO_MODEL,
    specific: ["action", "content"],
  },
  WorktreeCreate: {
    ...gate,
    verdicts: ["block"],
    failuresDeny: ["exit"],
    handlers: NO_MODEL,
    specific: ["worktreePath"],
  },
  WorktreeRemove: observer,
} as const satisfies Record<string, EventRow>;

export type EventName = keyof typeof EVENTS;
