import type { Failure, Phase } from "../outcome.ts";
import type { Rule } from "../rule.ts";

/** The two clocks of a run: the rule's `timeoutMs`, which counts work only, and the event's patience. */

/** How long an event may take in all. */
export interface Patience {
  /** `performance.now()` from which it counts. */
  readonly startedAt: number;
  /** How long the agent waits; for rules that run in the background, how long the engine does. */
  readonly patienceMs: number;
  /** The part of it in which the rules have to answer. The rest is for delivering the verdict, and `othersMs`. */
  readonly answerMs: number;
  /** The part of it that the rule leaves to more trusted rules behind it. Default: none. */
  readonly othersMs?: number;
}

const MARGIN_PART = 0.1;
const LEAST_MARGIN_MS = 500;

/**
 * A tenth, and at least half a second, is kept for delivering the verdict; of less than a second the half.
 */
export function patienceOf(patienceMs: number, startedAt: number): Patience {
  const marginMs = Math.max(patienceMs * MARGIN_PART, Math.min(LEAST_MARGIN_MS, patienceMs / 2));
  return { startedAt, patienceMs, answerMs: patienceMs - marginMs };
}

/** What starting, loading and waiting may take beside the work of a rule, where nobody has said. */
export const UNPAID_MS = 60_000;

/**
 * The patience where nobody has said how long the agent waits, or nobody waits: `leastMs`, or the longest of the rules'
 * `timeoutMs` and a minute.
 */
export function patienceForWork(rules: readonly Rule[], startedAt: number, leastMs = 0): Patience {
  const slowestMs = Math.max(0, ...rules.map(({ timeoutMs }) => timeoutMs));
  const patienceMs = Math.max(leastMs, slowestMs + UNPAID_MS);
  return { startedAt, patienceMs, answerMs: patienceMs };
}

/** What to do when patience ends in a phase. */
const ADVICE: Readonly<Record<Phase, string>> = {
  start: "the machine was too busy to start hookbox",
  configuration: "look for a file or folder that cannot be read",
  queue: "other rules or processes had their turn before it",
  admission: '"hookbox check" examines modules in advance',
  compile: '"hookbox check" prepares modules in advance',
  load: '"hookbox check" prepares rules in advance',
  work: "make the hook faster",
};

/** The failure of a rule, or of a whole event, without an answer at the end of patience. */
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

/** A timer may fire a moment early by the other clock: a limit that was hit is never reported as not reached. */
function atLeast(limitMs: number, spentMs: number): number {
  return Math.max(Math.round(limitMs), Math.round(spentMs));
}

/**
 * Measures one run by its phases. It works from the start on, unless its executor says otherwise: an executor that says
 * nothing gets less time, never more.
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

  /** `onEnd` is called once with the failure when the first of the two clocks has run out. */
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
    // No timer is set here: time only moves the end of the run away, and the timer looks again when it fires.
  }

  /** Milliseconds until the run has to end, if it works from now on. */
  get timeLeftMs(): number {
    const now = performance.now();
    return Math.max(0, Math.min(this.#rule.timeoutMs - this.#workedAt(now), this.#patienceLeftAt(now)));
  }

  /** Set once one of the clocks has run out, even if no timer could fire because the thread was busy. */
  get overdue(): Failure | undefined {
    return this.#failureWithin(0);
  }

  /** Microseconds since the run began, phases that are no work included. */
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
    // Time that is not worked does not run out: a rule with little of it left must not look every millisecond.
    const leastMs = this.#phase === "work" ? 0 : LEAST_IDLE_WAIT_MS;
    const waitMs = Math.ceil(Math.min(Math.max(this.timeLeftMs, leastMs), MAX_TIMER_MS));
    // An answer that is already waiting to be read was in time: it is read before the check.
    this.#timer = setTimeout(() => setImmediate(() => this.#check()), waitMs);
  }

  #check(): void {
    if (this.#isStopped) return;
    const failure = this.#failureWithin(TIMER_SLACK_MS);
    if (failure === undefined) this.#arm();
    else this.#onEnd(failure);
  }

  /** Of the clock that runs out first, if that is within so many milliseconds. */
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

/** Node's timers and `performance.now()` differ by up to a millisecond. */
const TIMER_SLACK_MS = 1;
const LEAST_IDLE_WAIT_MS = 20;
/** A longer timer fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
