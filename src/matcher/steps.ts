import type { HookEvent } from "../event.ts";
import { type Side, sideOf } from "../layer-trust.ts";
import type { Rule } from "../rule.ts";

/**
 * Limits the work of matching an event's rules. Matching blocks the main thread and its timers, and an agent whose
 * patience has ended continues without an answer. Steps are counted instead of milliseconds, so that the same event
 * selects the same rules on every machine.
 */

/**
 * The maximum number of steps for one event. A step takes 3 to 8 ns, and about 30 ns if V8's optimiser is off, as in a
 * one-shot `run` with guards. For the measurements, see docs/decisions/0159-matching-budget.md.
 */
const LIMITS: Readonly<Record<Side, number>> = { own: 200_000_000, project: 30_000_000 };

/** Thrown for each undecided rule. A symbol is cheaper than an `Error`, whose stack would never be displayed. */
const OUT_OF_STEPS = Symbol("out of steps");

/** The remaining steps of the rules of one side. */
export class Steps {
  #left: number;

  constructor(limit: number) {
    this.#left = limit;
  }

  /** Takes `count` steps. Throws and takes none if fewer are left, because a cheaper rule may still be judged. */
  take(count: number): void {
    if (count > this.#left) throw OUT_OF_STEPS;
    this.#left -= count;
  }

  /** Returns the result of `judge`, or `doubt` if `judge` needs more steps than are left. */
  static orDoubt<Value>(judge: () => Value, doubt: Value): Value {
    try {
      return judge();
    } catch (thrown) {
      if (thrown !== OUT_OF_STEPS) throw thrown;
      return doubt;
    }
  }
}

/** Steps for callers that do not answer an event. */
export const UNBOUNDED = new Steps(Number.POSITIVE_INFINITY);

/** The steps of one event: one limit for the rules of project files, and one limit for all other rules. */
export class MatchingBudget {
  readonly #sides: Readonly<Record<Side, Steps>>;
  readonly #selected = new WeakMap<HookEvent, readonly Rule[]>();

  constructor({ own, project }: Readonly<Record<Side, number>> = LIMITS) {
    this.#sides = { own: new Steps(own), project: new Steps(project) };
  }

  stepsOf(rule: Rule): Steps {
    return this.#sides[sideOf(rule)];
  }

  /** Matches each form of the event once: the original, and the event after each rewrite. */
  once(event: HookEvent, select: () => readonly Rule[]): readonly Rule[] {
    let selected = this.#selected.get(event);
    if (selected === undefined) {
      selected = select();
      this.#selected.set(event, selected);
    }
    return selected;
  }
}
