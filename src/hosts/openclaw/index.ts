export type { ApprovalQuestion, Approve } from "./approval.ts";
export type { ApprovalDecision, ApprovalRequest, ApprovalResolution } from "./approval-request.ts";
export { HOOK_NAMES, type HookName } from "./catalogue.ts";
export { type FailurePolicy, HookFailure } from "./failure.ts";
export type { HookResult } from "./hook-results.ts";
export type { Log } from "./log-text.ts";
export {
  definePluginEntry,
  type HookContext,
  type HookEventData,
  type HookHandler,
  type HookOptions,
  type PluginApi,
  type PluginEntry,
} from "./plugin-entry.ts";
export { createPluginHost, type PluginHost, type PluginHostOptions } from "./plugin-host.ts";
export type { Claim, Evaluation, SyncResult, TargetedClaim } from "./run-others.ts";
export type { PluginToolCall, PluginToolCallResult, ToolCallOptions } from "./tool-call.ts";
export type { GateAnswer } from "./tool-call-gate.ts";
export type { ToolResultMessage } from "./tool-result.ts";
export type { Tool } from "./wrap-tool.ts";
