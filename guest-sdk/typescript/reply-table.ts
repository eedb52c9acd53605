import type { EventName } from "./events.ts";

/** How one event expresses a reply. */
interface ReplyRow {
  /** The event's word for a refusal. Absent if the event cannot stop anything. */
  readonly no?: "deny" | "block";
  /** Set if the event can permit the action and ask the user. */
  readonly permits?: true;
  /** What `rewrite` replaces. */
  readonly rewrites?: "input" | "output" | "messages";
  readonly context?: true;
  readonly stop?: true;
  /** Fields that only this event has. */
  readonly fields?: readonly string[];
}

/** The possible replies at each event. A test compares this table with the host's own. */
export const REPLIES = {
  PreToolUse: { no: "deny", permits: true, rewrites: "input", context: true, stop: true },
  PermissionRequest: {
    no: "deny",
    permits: true,
    rewrites: "input",
    stop: true,
    fields: ["updatedPermissions", "interrupt"],
  },
  PostToolUse: { no: "block", rewrites: "output", context: true, stop: true, fields: ["classifierContext"] },
  PostToolUseFailure: { no: "block", context: true, stop: true },
  PermissionDenied: { stop: true, fields: ["retry"] },
  PostToolBatch: { no: "block", context: true, stop: true },
  UserPromptSubmit: {
    no: "block",
    context: true,
    stop: true,
    fields: ["sessionTitle", "suppressOriginalPrompt"],
  },
  UserPromptExpansion: { no: "block", context: true, stop: true, fields: ["suppressOriginalPrompt"] },
  Stop: { no: "block", context: true, stop: true },
  SubagentStop: { no: "block", context: true, stop: true },
  StopFailure: {},
  SubagentStart: { context: true, stop: true },
  MessageDisplay: { fields: ["displayContent"] },
  TaskCreated: { no: "block" },
  TaskCompleted: { no: "block", stop: true },
  TeammateIdle: { no: "block", stop: true },
  SessionStart: {
    context: true,
    stop: true,
    fields: ["initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills"],
  },
  Setup: { context: true, stop: true },
  SessionEnd: {},
  InstructionsLoaded: {},
  ConfigChange: { no: "block" },
  CwdChanged: { fields: ["watchPaths"] },
  FileChanged: { fields: ["watchPaths"] },
  DirectoryAdded: {},
  Notification: {},
  PreCompact: { no: "block" },
  PostCompact: {},
  PreModelSwitch: { no: "deny", permits: true, stop: true },
  PostModelSwitch: { context: true, stop: true },
  Elicitation: { no: "block", fields: ["action", "content"] },
  ElicitationResult: { no: "block", fields: ["action", "content"] },
  WorktreeCreate: { no: "block", fields: ["worktreePath"] },
  WorktreeRemove: {},
  ToolInputTransform: { no: "deny", rewrites: "input", stop: true },
  ToolGuard: { no: "deny", permits: true, stop: true },
  ToolApprovalDecision: {},
  ToolResponseTransform: { rewrites: "output" },
  UserSteeringMessagesSubmit: { no: "block", context: true, stop: true },
  UserFollowupSubmit: { no: "block", context: true, stop: true },
  UserInput: {},
  TurnStart: { context: true },
  TurnEnd: {},
  BeforeModelCall: { no: "block", rewrites: "messages", stop: true },
  AfterModelCall: {},
  MaxIterations: {},
  AgentError: {},
  AgentSwitch: {},
  SessionResume: {},
  BeforeCompaction: { no: "block", stop: true },
  AfterCompaction: {},
  AutomodeStart: {},
  AutomodeIteration: {},
  AutomodeCheckpoint: {},
  AutomodePause: {},
  AutomodeResume: {},
  AutomodeCancel: {},
  AutomodeComplete: {},
  AutomodeError: {},
  AutoresearchStart: {},
  AutoresearchPause: {},
  AutoresearchInit: {},
  AutoresearchBefore: {},
  AutoresearchRun: {},
  AutoresearchAfter: {},
  AutoresearchLog: {},
  AutoresearchDecision: {},
  AutoresearchReplay: {},
  AutoresearchRescore: {},
  AutoresearchPrune: {},
  AutoresearchComplete: {},
  AutoresearchError: {},
  ReviewStart: {},
  ReviewEnd: {},
  ReviewPaused: {},
  ReviewFailed: {},
  ReviewCompleted: {},
  BeforeLearn: { no: "block" },
  AfterLearn: {},
  GoalCompleted: {},
  TeamCreated: {},
  TeamShutdown: {},
  TeammateSpawned: {},
  TaskAssigned: {},
  ModeChange: {},
  RateLimited: {},
  BeforeClear: {},
  ContextOverflow: {},
  ContextWarning: {},
  ContextCritical: {},
  InboundClaim: { fields: ["handled", "reply"] },
  BeforeDispatch: { fields: ["handled", "reply"] },
  ReplyDispatch: { fields: ["handled", "reply"] },
  BeforeAgentReply: { fields: ["handled", "reply"] },
  MessageReceived: {},
  MessageSending: { no: "block", rewrites: "output" },
  ReplyPayloadSending: { no: "block", rewrites: "output" },
  MessageSent: {},
  BeforeModelResolve: { fields: ["providerOverride", "modelOverride"] },
  BeforePromptBuild: { context: true, fields: ["systemPrompt", "prependSystemContext", "appendSystemContext"] },
  AgentTurnPrepare: { context: true },
  BeforeAgentStart: { context: true },
  HeartbeatPrompt: { context: true },
  BeforeAgentRun: { no: "block" },
  ModelInput: {},
  ModelCallStarted: {},
  ModelCallEnded: {},
  ToolResultPersist: { rewrites: "output" },
  BeforeMessageWrite: { no: "block", rewrites: "output" },
  BeforeReset: {},
  SubagentSpawning: { no: "block" },
  SubagentDeliveryTarget: {},
  BeforeInstall: { no: "block" },
  ResolveExecEnv: { fields: ["env"] },
  SkillProposalEvaluate: {},
  SkillChanged: {},
  GatewayStart: {},
  GatewayStop: {},
} as const satisfies Record<EventName, ReplyRow>;

type Rows = typeof REPLIES;

/** The kinds of replies that an event has. */
type KindsAt<Row> =
  | "abstain"
  | "respond"
  | (Row extends { no: string } ? "deny" : never)
  | (Row extends { permits: true } ? "allow" | "ask" : never)
  | (Row extends { rewrites: string } ? "rewrite" : never)
  | (Row extends { context: true } ? "context" : never);

/** The additional fields that an event has. */
type FieldsAt<Row> =
  | "systemMessage"
  | "suppressOutput"
  | (Row extends { stop: true } ? "stop" : never)
  | (Row extends { context: true } ? "context" : never)
  | (Row extends { rewrites: "input" } ? "updatedInput" : never)
  | (Row extends { rewrites: "output" } ? "updatedOutput" : never)
  | (Row extends { rewrites: "messages" } ? "updatedMessages" : never)
  | (Row extends { fields: readonly (infer Field extends string)[] } ? Field : never);

export type ReplyKindAt<Name extends EventName> = { [Key in Name]: KindsAt<Rows[Key]> }[Name];
export type ReplyFieldAt<Name extends EventName> = { [Key in Name]: FieldsAt<Rows[Key]> }[Name];

export function replyRow(event: EventName): ReplyRow {
  return REPLIES[event];
}

export function isEventName(name: unknown): name is EventName {
  return typeof name === "string" && Object.hasOwn(REPLIES, name);
}
