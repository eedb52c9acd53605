import type { JsonObject, JsonValue } from "../event.ts";
import type { PolicySource } from "../events/approval-chain.ts";
import type { Verdict } from "../verdict.ts";

/** What `engine.toolCall` is told, what it asks of the program around it, and what it tells in the end. */

export interface ToolCall {
  readonly toolName: string;
  /** What the tool would be called with. It is copied at once: later changes to it do not count. */
  readonly input: JsonObject;
  readonly toolUseId?: string;
  /** Fields for every event of this call, such as `session_id` and `cwd`. */
  readonly payload?: JsonObject;
}

/** The call as it stands: what rules have made of the input so far, frozen. */
export interface PendingToolCall {
  readonly toolName: string;
  readonly input: JsonObject;
  readonly toolUseId?: string;
  /** Why this is asked again: a rule has changed the input after the first answer. */
  readonly rewritten: boolean;
  readonly signal: AbortSignal;
}

export interface PolicyAnswer {
  readonly decision: "allow" | "ask" | "deny";
  readonly source: PolicySource;
  /** A stable name for what decided, e.g. `session_permissions_allow`. Default: made of source and decision. */
  readonly label?: string;
  readonly reason?: string;
}

export interface ApprovalQuestion extends PendingToolCall {
  /** What each doubt said, in order, with the names of its rules. */
  readonly reasons: readonly string[];
  readonly metadata: JsonObject;
  /** Whether "always" would spare the user this question next time. */
  readonly canBeRemembered: boolean;
}

export type UserDecision = "allow" | "allow-always" | "deny";
export type UserAnswer = UserDecision | { readonly decision: UserDecision; readonly reason?: string };

/** A permission that holds beyond this call. Whoever keeps it has `policy` answer with source `grant` from then on. */
export interface Grant {
  readonly toolName: string;
  readonly input: JsonObject;
  readonly by: "user" | "permission-request";
  /** What a `PermissionRequest` rule wants to be permitted, in its agent's words. */
  readonly updatedPermissions?: JsonValue;
}

/** Only `execute` is needed. A callback that throws before the tool runs refuses the call. */
export interface ToolCallHost {
  /** Explicit rules, the safety mode and session grants, in one answer. Absent: the user is asked about everything. */
  policy?(call: PendingToolCall): PolicyAnswer | Promise<PolicyAnswer>;
  /** Absent: there is nobody to ask, and what would need an answer is refused. */
  askUser?(question: ApprovalQuestion): UserAnswer | Promise<UserAnswer>;
  grant?(grant: Grant): void | Promise<void>;
  /** Gets exactly what was approved, frozen. What it throws is the tool's failure. */
  execute(
    input: JsonObject,
    options: { readonly signal: AbortSignal },
  ): JsonValue | undefined | Promise<JsonValue | undefined>;
  readonly nonInteractive?: boolean;
  /** Ends the call. Not a denial: the outcome is `cancelled`. */
  readonly signal?: AbortSignal;
}

export type ToolCallPhase =
  | "transform"
  | "guard"
  | "preempt"
  | "pre-tool-use"
  | "permission-request"
  | "approval-decision"
  | "response-transform"
  | "post-tool-use";

export interface PhaseVerdict {
  readonly phase: ToolCallPhase;
  /** Whether the phase judged the call again, after a rewrite. */
  readonly recheck: boolean;
  readonly verdict: Verdict;
}

export interface ToolCallResult {
  readonly outcome: "ran" | "denied" | "cancelled" | "failed";
  /** Whether the tool was started: a call may be cancelled before or after that. */
  readonly executed: boolean;
  /** A stable label of what decided, e.g. `tool_guard_deny` or `user_allow`. */
  readonly source: string;
  readonly reason: string | null;
  /** After all rewrites; what the tool was called with, if it was. */
  readonly input: JsonObject;
  /** After all rewrites. `null` unless the tool ran. */
  readonly output: JsonValue;
  /** What the tool threw, after rewrites. */
  readonly error: string | null;
  /** Whether the user was asked. */
  readonly asked: boolean;
  readonly contexts: readonly string[];
  readonly systemMessages: readonly string[];
  readonly metadata: JsonObject;
  /** `false`: a rule wants the agent to stop. */
  readonly continue: boolean;
  readonly stopReason: string | null;
  readonly verdicts: readonly PhaseVerdict[];
}
