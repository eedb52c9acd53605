export { type AgentaoHost, type AgentaoHostOptions, type Compaction, createAgentaoHost } from "./host.ts";
export type { PluginHookFired } from "./observers.ts";
export type { CaptureFlags, HookReplayRecord } from "./replay.ts";
export type {
  AttachmentType,
  CompactionType,
  HookAttachmentRecord,
  LifecycleResult,
  PromptAnswer,
  StopHookResult,
  StopOutcome,
  ToolAnswer,
  TurnEnd,
  TurnEndReason,
  UserPromptSubmitResult,
} from "./results.ts";
export type { AgentaoTurn, EndingTurn, SessionFacts } from "./turn.ts";
