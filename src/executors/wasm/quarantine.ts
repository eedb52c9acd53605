import type { Failure } from "../../outcome.ts";
import type { SandboxOptions } from "../../sandbox/index.ts";

/** The maximum is low, because replacing a thread or process takes longer than thousands of calls. */
const MAX_LOST_IN_A_ROW = 3;
const PAUSE_MS = 60_000;

interface Losses {
  lost: number;
  until: number;
}

/**
 * Records which rules cost worker threads or sandbox processes. A rule that cost several in a row fails with its own
 * error code for a minute, so that other rules still get threads. After that, the rule gets one more try.
 */
export class Quarantine {
  readonly #records = new Map<string, Losses>();
  readonly #what: string;
  readonly #now: () => number;

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(boundary: SandboxOptions["boundary"] = "thread", now: () => number = () => performance.now()) {
    this.#what = boundary === "process" ? "sandbox processes" : "worker threads";
    this.#now = now;
  }

  /** Returns the failure of a rule that is in quarantine. `undefined`: the rule may run. */
  refusal(ruleId: string): Failure | undefined {
    const record = this.#records.get(ruleId);
    if (record === undefined || record.until <= this.#now()) return undefined;
    const seconds = Math.ceil((record.until - this.#now()) / 1_000);
    return {
      kind: "unavailable",
      code: "HOOK_GUARD_QUARANTINED",
      message: `cost ${record.lost} ${this.#what} in a row, so it is not run for another ${seconds} s`,
      limit: MAX_LOST_IN_A_ROW,
      value: record.lost,
    };
  }

  /** Records that a call of the rule cost its thread or process. */
  lost(ruleId: string): void {
    const record = this.#records.get(ruleId) ?? { lost: 0, until: 0 };
    record.lost += 1;
    if (record.lost >= MAX_LOST_IN_A_ROW) record.until = this.#now() + PAUSE_MS;
    this.#records.set(ruleId, record);
  }

  /** Records that a call of the rule returned, with any answer or failure. */
  returned(ruleId: string): void {
    if (this.#records.size > 0) this.#records.delete(ruleId);
  }
}
