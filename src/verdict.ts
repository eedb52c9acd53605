import type { Problem } from "./errors.ts";
import type { JsonObject, JsonValue } from "./event.ts";
import type { Decision, Failure, Receipt } from "./outcome.ts";
import type { Mode } from "./rule.ts";

/** What all rules together say. A contract: `hookbox run --json` prints it as it is. */
export interface Verdict {
  readonly event: string;
  readonly decision: Decision | "none";
  /** `false` stops the agent whatever `decision` says. */
  readonly continue: boolean;
  readonly stopReason: string | null;
  /** All reasons behind the decision, in order, each with its rule's name. */
  readonly reason: string | null;
  readonly additionalContext: string | null;
  readonly systemMessage: string | null;
  readonly suppressOutput: boolean;
  readonly updatedInput: JsonObject | null;
  readonly updatedOutput: JsonValue;
  readonly updatedMessages: readonly JsonValue[] | null;
  readonly summary: string | null;
  readonly followUp: string | null;
  readonly metadata: JsonObject;
  readonly approval: JsonObject | null;
  /** Event-specific reply fields, e.g. `watchPaths`; the last rule in order wins a field. */
  readonly specific: JsonObject;
  /** True when the caller's own signal ended the dispatch: not a denial, and never a permission. */
  readonly cancelled: boolean;
  readonly rules: readonly RuleReport[];
  readonly problems: readonly Problem[];
}

/** What became of a hook, as the literature on them calls it. */
export type OutcomeWord = "success" | "blocking" | "non_blocking_error" | "cancelled";

/** One rule's part in a verdict. */
export interface RuleReport {
  readonly rule: string;
  readonly type: string;
  readonly mode: Mode;
  readonly status: "decided" | "abstained" | "failed";
  readonly outcome: OutcomeWord;
  readonly decision: Decision | null;
  readonly reason: string | null;
  readonly failure: Failure | null;
  /** What the failure policy made of a failure; `null` when there was none. */
  readonly onFailure: "deny" | "continue" | null;
  /** Parts of the answer that did not count, each with the reason. */
  readonly dropped: readonly string[];
  /** Whether the rule judged the original event or, after a rewrite, the final one. */
  readonly look: "first" | "second";
  readonly receipt: Receipt;
}
