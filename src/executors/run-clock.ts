import type { Failure, Phase } from "../outcome.ts";
import type { Rule } from "../rule.ts";

/** Measures the two limits of a run: the rule's `timeoutMs`, which counts only work, and the event's patience. */

/** How long an event may take. */
export interface Patience {
  /** The `performance.now()` at which the patience begins. */
  readonly startedAt: number;
  /** How long the agent waits, or for background rules the engine, in milliseconds. */
  readonly patienceMs: number;
  /** The time in which the rule must answer. The rest is for delivering the verdict and for `othersMs`. */
  readonly answerMs: number;
  /** The time that is kept for more trusted rules that run later. Default: none. */
  readonly othersMs?: number;
}

const MARGIN_PART = 0.1;
const LEAST_MARGIN_MS = 500;

/** Returns the patience. Keeps a tenth, and at least 500 ms, for the delivery; below a second, half of the time. */
export function patienceOf(patienceMs: number, startedAt: number): Patience {
  const marginMs = Math.max(patienceMs * MARGIN_PART, Math.min(LEAST_MARGIN_MS, patienceMs / 2));
  return { startedAt, patienceMs, answerMs: patienceMs - marginMs };
}

/** The default time for starting, loading and waiting, in addition to the rule's own work. */
export const UNPAID_MS = 60_000;

/**
 * Returns the patience if it is not configured, or if no agent waits: `leastMs`, or the longest `timeoutMs` of the
 * rules plus a minute, whichever is longer.
 */
export function patienceForWork(rules: readonly Rule[], startedAt: number, leastMs = 0): Patience {
  const slowestMs = Math.max(0, ...rules.map(({ timeoutMs }) => timeoutMs));
  const patienceMs = Math.max(leastMs, slowestMs + UNPAID_MS);
  return { startedAt, patienceMs, answerMs: patienceMs };
}

/** The advice for each phase in which the patience may end. */
const ADVICE: Readonly<Record<Phase, string>> = {
  start: "the machine was too busy to start hookbox",
  configuration: "look for a file or folder that cannot be read",
  queue: "other rules or processes had their turn before it",
  admission: '"hookbox check" examines modules in advance',
  compile: '"hookbox check" prepares modules in advance',
  load: '"hookbox check" prepares rules in advance',
  work: "make the hook faster",
};

/** Returns the failure of a rule or of a whole event that has no answer at the end of the patience. */
export function outOfPatience(
  { startedAt, patienceMs, answerMs, othersMs = 0 }: Patience,
  phase: Phase,
  phaseMs: number,
): Failure & { readonly phase: Phase } {
  const spentMs = atLeast(answerMs, performance.now() - startedAt);
  const limit = Math.round(answerMs);
  const kept = [
    [Math.round(patienceMs - answerMs - othersMs), "for delivering the verdict"],
    [Math.round(othersMs), "for more trusted rules behind it"],
  ] as const;
  const parts = kept.filter(([ms]) => ms !== 0).map(([ms, use]) => `${ms} ms ${use}`);
  const margin = parts.length === 0 ? "" : ` less ${parts.join(" and ")}`;
  return {
    kind: "timeout",
    phase,
    message:
      `no answer within the event's patience of ${Math.round(patienceMs)} ms${margin}: after ${spentMs} ms it was in phase ` +
      `"${phase}", for ${Math.round(phaseMs)} ms; ${ADVICE[phase]}, or make the agent's timeout and --patience longer`,
    limit,
    value: spentMs,
  };
}

/** Returns the spent time, and at least the limit, because a timer may fire slightly early. */
function atLeast(limitMs: number, spentMs: number): number {
  return Math.max(Math.round(limitMs), Math.round(spentMs));
}

/**
 * Measures the phases of one run. A run begins with the phase `work`, so an executor that reports no phases gets less
 * time and never more.
 */
export class RunClock {
  readonly #rule: Rule;
  readonly #patience: Patience;
  #onEnd: (failure: Failure) => void = () => {};
  readonly #begunAt = performance.now();
  #phase: Phase = "work";
  #phaseBegunAt = this.#begunAt;
  #workedMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(rule: Rule, patience: Patience) {
    this.#rule = rule;
    this.#patience = patience;
  }

  /** Calls `onEnd` once, with the failure, when the run reaches the first of the two limits. */
  start(onEnd: (failure: Failure) => void): void {
    this.#onEnd = onEnd;
    this.#arm();
  }

  enter(phase: Phase): void {
    if (phase === this.#phase) return;
    const now = performance.now();
    this.#workedMs = this.#workedAt(now);
    this.#phase = phase;
    this.#phaseBegunAt = now;
    // The timer checks again when it fires, because leaving `work` only postpones the end of the run.
  }

  /** Milliseconds until the run must end, if all remaining time counts as work. */
  get timeLeftMs(): number {
    const now = performance.now();
    return Math.max(0, Math.min(this.#rule.timeoutMs - this.#workedAt(now), this.#patienceLeftAt(now)));
  }

  /** The failure of a reached limit, even if no timer could fire because the thread was busy. */
  get overdue(): Failure | undefined {
    return this.#failureWithin(0);
  }

  /** Microseconds since the run began, all phases included. */
  get micros(): number {
    return Math.round((performance.now() - this.#begunAt) * 1_000);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #workedAt(now: number): number {
    return this.#phase === "work" ? this.#workedMs + now - this.#phaseBegunAt : this.#workedMs;
  }

  #patienceLeftAt(now: number): number {
    return this.#patience.answerMs - (now - this.#patience.startedAt);
  }

  #arm(): void {
    // The timeout counts only during `work`, so a rule with little time left must not check every millisecond.
    const leastMs = this.#phase === "work" ? 0 : LEAST_IDLE_WAIT_MS;
    const waitMs = Math.ceil(Math.min(Math.max(this.timeLeftMs, leastMs), MAX_TIMER_MS));
    // `setImmediate` lets the engine read an answer that has already arrived before the check.
    this.#timer = setTimeout(() => setImmediate(() => this.#check()), waitMs);
  }

  #check(): void {
    if (this.#isStopped) return;
    const failure = this.#failureWithin(TIMER_SLACK_MS);
    if (failure === undefined) this.#arm();
    else this.#onEnd(failure);
  }

  /** Returns the failure of the limit that is reached first, if that is within `slackMs`. */
  #failureWithin(slackMs: number): Failure | undefined {
    const now = performance.now();
    const workedMs = this.#workedAt(now);
    const { timeoutMs } = this.#rule;
    const patienceLeftMs = this.#patienceLeftAt(now);
    const isLate = this.#phase === "work" && timeoutMs - workedMs <= slackMs;
    if (patienceLeftMs <= slackMs && !(isLate && timeoutMs - workedMs < patienceLeftMs))
      return outOfPatience(this.#patience, this.#phase, now - this.#phaseBegunAt);
    return isLate ? this.#outOfWork(workedMs, now) : undefined;
  }

  #outOfWork(workedMs: number, now: number): Failure {
    const { timeoutMs } = this.#rule;
    const waitedMs = Math.round(now - this.#begunAt - workedMs);
    const besides = waitedMs < 1 ? "" : ` (and ${waitedMs} ms of waiting and loading, which do not count)`;
    return {
      kind: "timeout",
      phase: "work",
      message: `no answer within ${timeoutMs} ms of work, its timeoutMs${besides}`,
      limit: timeoutMs,
      value: atLeast(timeoutMs, workedMs),
    };
  }
}

/** The difference between Node's timers and `performance.now()`, at most a millisecond. */
const TIMER_SLACK_MS = 1;
const LEAST_IDLE_WAIT_MS = 20;
/** The maximum delay of a timer. A timer with a longer delay fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;
