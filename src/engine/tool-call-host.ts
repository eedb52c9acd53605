import type { PolicySource } from "../events/approval-chain.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { Verdict } from "../verdict.ts";

/** The parameters of `engine.toolCall`, its callbacks to the host program, and its result. */

export interface ToolCall {
  readonly toolName: string;
  /** The tool's input. `engine.toolCall` copies the input immediately, so later changes have no effect. */
  readonly input: JsonObject;
  readonly toolUseId?: string;
  /** Fields that every event of this call contains, such as `session_id` and `cwd`. */
  readonly payload?: JsonObject;
}

/** The call in its current state. `input` is frozen and contains the rewrites so far. */
export interface PendingToolCall {
  readonly toolName: string;
  readonly input: JsonObject;
  readonly toolUseId?: string;
  /** Whether a rule rewrote the input. If so, the host may be asked a second time. */
  readonly rewritten: boolean;
  readonly signal: AbortSignal;
}

export interface PolicyAnswer {
  readonly decision: "allow" | "ask" | "deny";
  readonly source: PolicySource;
  /** A stable name of what decided, e.g. `session_permissions_allow`. Default: built from source and decision. */
  readonly label?: string;
  readonly reason?: string;
}

export interface ApprovalQuestion extends PendingToolCall {
  /** The reasons of the rules and the policy that ask, in order, with the names of the rules. */
  readonly reasons: readonly string[];
  readonly metadata: JsonObject;
  /** Whether the answer "always" would avoid this question next time. */
  readonly canBeRemembered: boolean;
}

export type UserDecision = "allow" | "allow-always" | "deny";
export type UserAnswer = UserDecision | { readonly decision: UserDecision; readonly reason?: string };

/** A permission for later calls. A host that stores it makes `policy` answer with source `grant` from then on. */
export interface Grant {
  readonly toolName: string;
  readonly input: JsonObject;
  readonly by: "user" | "permission-request";
  /** The permissions that a `PermissionRequest` rule requests, in its agent's words. */
  readonly updatedPermissions?: JsonValue;
}

/** Callbacks of the host program. If a callback throws before the tool runs, the call is refused. */
export interface ToolCallHost {
  /**
   * Answers for the host's explicit rules, safety mode and session grants together. Default: the user is asked about
   * every call.
   */
  policy?(call: PendingToolCall): PolicyAnswer | Promise<PolicyAnswer>;
  /** Asks the user. Default: no user can be asked, and a call that needs an answer is refused. */
  askUser?(question: ApprovalQuestion): UserAnswer | Promise<UserAnswer>;
  grant?(grant: Grant): void | Promise<void>;
  /** Runs the tool. Receives the approved input, frozen. An error that `execute` throws is the tool's failure. */
  execute(
    input: JsonObject,
    options: { readonly signal: AbortSignal },
  ): JsonValue | undefined | Promise<JsonValue | undefined>;
  readonly nonInteractive?: boolean;
  /** Cancels the call. The outcome is then `cancelled`, not `denied`. */
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
  /** Whether the tool was started. A call may be cancelled before or after the start. */
  readonly executed: boolean;
  /** A stable label of what decided, e.g. `tool_guard_deny` or `user_allow`. */
  readonly source: string;
  readonly reason: string | null;
  /** The input after all rewrites. If the tool ran, this was the tool's input. */
  readonly input: JsonObject;
  /** The output after all rewrites. `null` unless the tool ran. */
  readonly output: JsonValue;
  /** The text of the error that the tool threw, after rewrites. `null` unless the tool failed. */
  readonly error: string | null;
  readonly asked: boolean;
  readonly contexts: readonly string[];
  readonly systemMessages: readonly string[];
  readonly metadata: JsonObject;
  /** `false`: a rule wants the agent to stop. */
  readonly continue: boolean;
  readonly stopReason: string | null;
  readonly verdicts: readonly PhaseVerdict[];
}
