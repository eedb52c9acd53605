export type { ConfigFile } from "./config/load.ts";
export type {
  ApprovalQuestion,
  Grant,
  PendingToolCall,
  PhaseVerdict,
  PolicyAnswer,
  ToolCall,
  ToolCallHost,
  ToolCallPhase,
  ToolCallResult,
  UserAnswer,
} from "./engine/tool-call-host.ts";
export {
  type BackgroundReport,
  type CloseOptions,
  createEngine,
  type DispatchOptions,
  type Engine,
  type EngineOptions,
  type Explanation,
  type RuleInput,
} from "./engine.ts";
export { ERROR_CODES, type ErrorCode, HookError, type Place, type Problem } from "./errors.ts";
export type { HookEvent } from "./event.ts";
export { EVENT_NAMES } from "./events/lookup.ts";
export type { EventName } from "./events/table.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export type { ModelAnswer, ModelFunction, ModelMessage, ModelRequest, ModelTool } from "./models/model.ts";
export type { Decision, Failure, FailureKind, HookOutcome, Phase, Receipt, Reply } from "./outcome.ts";
export type { HookFunction, Rule } from "./rule.ts";
export { type SharedThreads, shareThreads } from "./sandbox/index.ts";
export type { StateChange, StateScope, StateStore, StoreCall } from "./state/state-store.ts";
export type { OutcomeWord, RuleReport, Verdict } from "./verdict.ts";
