import type { Decision, FailureKind } from "../outcome.ts";

/** The meaning of one canonical event. Parsing, matching, running and aggregating read this row. */
export interface EventContract {
  /** The payload field that a matcher tests. Several fields are tested as one text. `null`: matchers are ignored. */
  readonly subject: string | readonly string[] | null;
  /** How the subject is read from its field: `value` as it is, `basename` of a path, `model` name without its suffix. */
  readonly subjectForm: "value" | "basename" | "model";
  /** The language of matchers; see `matcher/tool-name.ts`. */
  readonly matcherStyle: "wide" | "narrow" | "anchored" | "unanchored" | "glob";
  /** Payload fields that the event must have. All these fields are strings. */
  readonly required: readonly string[];
  /** A `gate` can stop the action; an `observer` cannot. */
  readonly kind: "gate" | "observer";
  /** Whether a block makes the agent go on working. A hook that always blocks would then never let the agent stop. */
  readonly blockMeansGoOn: boolean;
  readonly verdicts: readonly (Decision | "continue:false")[];
  readonly rewrites: "input" | "output" | "messages" | "summary" | null;
  /** What a rewrite of the input contains: the whole new input, or only the fields that change. */
  readonly rewriteMode: "replace" | "patch";
  /** Whether rules may add to `metadata`. */
  readonly metadata: boolean;
  /** How long added text stays: in the conversation (`stays`), or for one turn. `null`: text cannot be added. */
  readonly context: "stays" | "turn" | null;
  /** Whether output that is not JSON is added as text. */
  readonly plainTextIsContext: boolean;
  /** `parallel`: all rules see the original. `sequential`: each rule sees the last rewrite. */
  readonly order: "parallel" | "sequential";
  /** The answer after which no further rule of a sequential event is asked: any refusal, or only `continue: false`. */
  readonly endsAt: "refusal" | "stop" | null;
  /** Whether rules of the default lane are skipped after the preempt lane said `ask`. */
  readonly yieldsToQuestion: boolean;
  /** What a rule's failure means if the rule has no `onFailure`. */
  readonly onFailure: "deny" | "continue";
  /** Whether a failure is always a refusal, whatever the rule's `onFailure` says. */
  readonly failsClosed: boolean;
  /** Whether rules keep running after the caller cancelled the event, because they clean up. */
  readonly survivesCancellation: boolean;
  /**
   * What a failure of an agent's own hook means if the hook sets nothing. `by-kind`: the kind of failure decides.
   * `continue`: the agent goes on. `deny`: the gate is closed, except with `compat: "faithful"`.
   */
  readonly importedFailures: "by-kind" | "continue" | "deny";
  /** Failures of an imported hook that the agent itself treats as a refusal. */
  readonly failuresDeny: readonly FailureKind[];
  /** Failures after which the agent goes on although other failures close the gate. Ignored with `onFailure: "block"`. */
  readonly failuresGoOn: readonly FailureKind[];
  /** Handler types that the event allows. Parsing rejects other types. */
  readonly handlers: readonly string[];
  /** Fields of `hookSpecificOutput` that belong to this event. */
  readonly specific: readonly string[];
}

export interface EventRow extends EventContract {
  /** The agents that send the event. Embedders of the engine may send every event. Default: all agents. */
  readonly agents?: readonly string[];
  /** Fields that differ for rules of the preempt lane, in every dialect. */
  readonly lanes?: { readonly preempt: Partial<EventContract> };
  /** Fields that differ in a dialect. */
  readonly overrides?: Readonly<Record<string, Partial<EventContract>>>;
  /** Fields in which an agent's page differs from its code. Used only for rules with `compat: "faithful"`. */
  readonly pages?: Readonly<Record<string, Partial<EventContract>>>;
}
