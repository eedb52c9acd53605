import type { Decision, FailureKind } from "../outcome.ts";

/** What one canonical event means. Every stage of the pipeline reads its rules from here. */
export interface EventContract {
  /** The payload field that a matcher tests, several whose texts it tests as one, or `null` where matchers mean nothing. */
  readonly subject: string | readonly string[] | null;
  /** How the subject is read from its field: the value itself, the last part of a path, a model without its suffix. */
  readonly subjectForm: "value" | "basename" | "model";
  /** What a matcher is written in; see `matcher/tool-name.ts`. */
  readonly matcherStyle: "wide" | "narrow" | "anchored" | "unanchored" | "glob";
  /** Payload fields without which the event cannot be judged. All are strings. */
  readonly required: readonly string[];
  /** A `gate` can stop the action; an `observer` cannot. */
  readonly kind: "gate" | "observer";
  /** "block" means that the agent goes on working, so a hook that always blocks would never let it end. */
  readonly blockMeansGoOn: boolean;
  readonly verdicts: readonly (Decision | "continue:false")[];
  readonly rewrites: "input" | "output" | "messages" | "summary" | null;
  /** Of an `input` rewrite: a whole new input, or the fields of it that change. */
  readonly rewriteMode: "replace" | "patch";
  /** Whether rules may add to `metadata`. */
  readonly metadata: boolean;
  /** Whether text may be added, and if it stays in the conversation or is for this turn only. */
  readonly context: "stays" | "turn" | null;
  /** Whether output that is not JSON counts as added text. */
  readonly plainTextIsContext: boolean;
  /** `parallel`: all rules see the original. `sequential`: each sees the last rewrite. */
  readonly order: "parallel" | "sequential";
  /**
   * Where rules run one after another: what keeps those that remain from being asked. A "no" of any kind, or only one
   * that stops the agent.
   */
  readonly endsAt: "refusal" | "stop" | null;
  /** Whether a rule is not asked any more when the preempt lane has asked for the user. */
  readonly yieldsToQuestion: boolean;
  /** What a rule's failure means when the rule itself does not say. */
  readonly onFailure: "deny" | "continue";
  /** No rule can have its failures taken for anything but a "no". */
  readonly failsClosed: boolean;
  /** Rules run to their own deadlines although the caller has given up: what happens here is the tidying up. */
  readonly survivesCancellation: boolean;
  /**
   * What a failure means of a hook that was written for the agent, when the hook itself does not say: it depends on the
   * kind of failure, the agent goes on, or the agent's page would go on and only its letter does.
   */
  readonly importedFailures: "by-kind" | "continue" | "deny";
  /** Failures of an imported hook that the agent itself takes for a "no". */
  readonly failuresDeny: readonly FailureKind[];
  /** Failures that the agent goes on after, although others close the gate. No help where a hook is to block on error. */
  readonly failuresGoOn: readonly FailureKind[];
  /** Handler types that may serve the event; parsing refuses the others. */
  readonly handlers: readonly string[];
  /** Fields of `hookSpecificOutput` that only this event has. */
  readonly specific: readonly string[];
}

export interface EventRow extends EventContract {
  /** The agents that have the event, besides embedders of our own engine. Default: all. */
  readonly agents?: readonly string[];
  /** What differs for rules that are asked ahead of the others, in every dialect. */
  readonly lanes?: { readonly preempt: Partial<EventContract> };
  /** What a dialect sees differently. */
  readonly overrides?: Readonly<Record<string, Partial<EventContract>>>;
  /** What an agent's page says and its code does not do. Only rules that are to be faithful to the page see it. */
  readonly pages?: Readonly<Record<string, Partial<EventContract>>>;
}
