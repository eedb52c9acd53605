import type { Patience } from "../executors/run-clock.ts";
import { type Rule, trustOf } from "../rule.ts";

/**
 * The time of rules that run one after another. A rule whose file is less trusted than that of a rule behind it gets at
 * most half of what is left: a repository's slow rule must not take the user's rule its turn.
 */
export class FairTime {
  readonly #patience: Patience;
  /** Of the less trusted rules since the last more trusted one, together. */
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
    // Counted from the start of the event, as everything else is.
    const othersMs = leftMs / 2;
    this.#share ??= { startedAt, patienceMs, answerMs: answerMs - othersMs, othersMs };
    return this.#share;
  }
}
