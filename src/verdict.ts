import type { Place, Problem } from "./errors.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { Decision, Failure, Receipt } from "./outcome.ts";
import type { Mode } from "./rule.ts";

/** What all rules together say. `hookbox run --json` prints this object, so its fields are a contract. */
export interface Verdict {
  readonly event: string;
  readonly decision: Decision | "none";
  /** `false` stops the agent, whatever the decision. */
  readonly continue: boolean;
  readonly stopReason: string | null;
  /** All reasons for the decision, in order, each reason with the name of its rule. */
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
  /** Reply fields of the event, such as `watchPaths`. The last rule in order wins. */
  readonly specific: JsonObject;
  /** Whether the caller's signal ended the dispatch. A cancelled dispatch neither denies nor permits. */
  readonly cancelled: boolean;
  readonly rules: readonly RuleReport[];
  readonly problems: readonly Problem[];
}

/** The outcome of a hook in the words of the generic hook pattern. */
export type OutcomeWord = "success" | "blocking" | "non_blocking_error" | "cancelled";

/** The part of one rule in a verdict. */
export interface RuleReport {
  readonly rule: string;
  readonly type: string;
  readonly mode: Mode;
  readonly status: "decided" | "abstained" | "failed";
  readonly outcome: OutcomeWord;
  readonly decision: Decision | null;
  readonly reason: string | null;
  readonly failure: Failure | null;
  /** The user's exception because of which the rule's refusal or question does not count. */
  readonly excepted?: { readonly reason: string; readonly expires: string; readonly place: Place | null };
  /** What the failure policy made of the failure. `null` if the rule did not fail. */
  readonly onFailure: "deny" | "continue" | null;
  /** Parts of the answer that did not count, with the reason for each part. */
  readonly dropped: readonly string[];
  /** `first`: the rule judged the original event. `second`: the rule judged the rewritten event. */
  readonly look: "first" | "second";
  readonly receipt: Receipt;
}
