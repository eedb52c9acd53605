import type { HookEvent } from "../event.ts";
import { type Rule, type Side, sideOf } from "../rule.ts";

/**
 * Bounds on the work of finding an event's rules. That work keeps the main thread busy, which keeps the clocks too: an
 * agent that has waited long enough goes on without an answer. Steps are counted, not milliseconds, so that the same
 * event selects the same rules on every machine.
 */

/**
 * A step takes 3 to 8 nanoseconds, and about 30 where V8's optimiser is off, as in a one-shot `run` with guards. See "Matching has a budget" in docs/decisions.md for what was measured.
 */
const LIMITS: Readonly<Record<Side, number>> = { own: 200_000_000, project: 30_000_000 };

/** Not an `Error`: it is thrown once for each rule in doubt, and nothing shows its stack. */
const OUT_OF_STEPS = Symbol("out of steps");

/** The steps that the rules of one side have left. */
export class Steps {
  #left: number;

  constructor(limit: number) {
    this.#left = limit;
  }

  /** Throws if fewer are left, and takes none then: a cheaper rule may still be judged. */
  take(count: number): void {
    if (count > this.#left) throw OUT_OF_STEPS;
    this.#left -= count;
  }

  /** What `judge` returns, or `doubt` if it needs more steps than are left. */
  static orDoubt<Value>(judge: () => Value, doubt: Value): Value {
    try {
      return judge();
    } catch (thrown) {
      if (thrown !== OUT_OF_STEPS) throw thrown;
      return doubt;
    }
  }
}

/** For callers that are not answering an event. */
export const UNBOUNDED = new Steps(Number.POSITIVE_INFINITY);

/** The steps of one event: rules of project files have theirs, and all other rules theirs. */
export class MatchingBudget {
  readonly #sides: Readonly<Record<Side, Steps>>;
  readonly #selected = new WeakMap<HookEvent, readonly Rule[]>();

  constructor({ own, project }: Readonly<Record<Side, number>> = LIMITS) {
    this.#sides = { own: new Steps(own), project: new Steps(project) };
  }

  stepsOf(rule: Rule): Steps {
    return this.#sides[sideOf(rule)];
  }

  /** Each form of the event, as it came and after each rewrite, is matched once. */
  once(event: HookEvent, select: () => readonly Rule[]): readonly Rule[] {
    let selected = this.#selected.get(event);
    if (selected === undefined) {
      selected = select();
      this.#selected.set(event, selected);
    }
    return selected;
  }
}
