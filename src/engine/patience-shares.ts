import type { Patience } from "../executors/run-clock.ts";
import { trustOf } from "../layer-trust.ts";
import type { Rule } from "../rule.ts";

/**
 * Divides the time among rules that run one after another. While a more trusted rule waits, less trusted rules get at
 * most half of the remaining time. Without this limit, a slow rule from a repository could use up the time of the
 * user's rule.
 */
export class PatienceShares {
  readonly #patience: Patience;
  /** The shared patience of the less trusted rules that ran since the last more trusted rule. */
  #share: Patience | undefined;

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  patienceFor(rule: Rule, behind: readonly Rule[]): Patience {
    const { startedAt, patienceMs, answerMs } = this.#patience;
    if (!behind.some(({ layer }) => trustOf(layer) > trustOf(rule.layer))) {
      this.#share = undefined;
      return this.#patience;
    }
    const leftMs = Math.max(0, answerMs - (performance.now() - startedAt));
    // The share counts from the start of the event, like every patience.
    const othersMs = leftMs / 2;
    this.#share ??= { startedAt, patienceMs, answerMs: answerMs - othersMs, othersMs };
    return this.#share;
  }
}
