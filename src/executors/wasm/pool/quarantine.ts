import type { Failure } from "../../../outcome.ts";
import type { Boundary } from "./guest-pool.ts";

/** A thread or process takes longer to replace than thousands of calls take to answer. */
const MAX_LOST_IN_A_ROW = 3;
const PAUSE_MS = 60_000;

interface Losses {
  lost: number;
  until: number;
}

/**
 * Rules that have cost worker threads, or sandbox processes. After a few in a row such a rule is not run for a while and fails by name, so
 * that it does not take them from all others; then it has one more try.
 */
export class Quarantine {
  readonly #records = new Map<string, Losses>();
  readonly #what: string;
  readonly #now: () => number;

  /** `now` in milliseconds, on a clock that never goes back. */
  constructor(boundary: Boundary = "thread", now: () => number = () => performance.now()) {
    this.#what = boundary === "process" ? "sandbox processes" : "worker threads";
    this.#now = now;
  }

  /** Why the rule is not run now, if it is not. */
  refusal(ruleId: string): Failure | undefined {
    const record = this.#records.get(ruleId);
    if (record === undefined || record.until <= this.#now()) return undefined;
    const seconds = Math.ceil((record.until - this.#now()) / 1_000);
    return {
      kind: "unavailable",
      code: "HOOK_GUARD_QUARANTINED",
      message: `has cost ${record.lost} ${this.#what} in a row and is not run for another ${seconds} s`,
      limit: MAX_LOST_IN_A_ROW,
      value: record.lost,
    };
  }

  /** A call of the rule has cost what it ran in. */
  lost(ruleId: string): void {
    const record = this.#records.get(ruleId) ?? { lost: 0, until: 0 };
    record.lost += 1;
    if (record.lost >= MAX_LOST_IN_A_ROW) record.until = this.#now() + PAUSE_MS;
    this.#records.set(ruleId, record);
  }

  /** A call of the rule has come back, whatever it answered. */
  returned(ruleId: string): void {
    if (this.#records.size > 0) this.#records.delete(ruleId);
  }
}
