import { limitReply } from "../aggregate/limit-reply.ts";
import { describeThrown } from "../errors.ts";
import type { HookEvent } from "../event.ts";
import { type Side, sideOf } from "../layer-trust.ts";
import type { Failure, HookOutcome, RunResult } from "../outcome.ts";
import type { Rule } from "../rule.ts";
import { cleanText } from "../text.ts";
import type { BackgroundReport } from "./options.ts";

/** Runs rules for which the dispatch does not wait. These rules decide nothing, and their number is limited. */

export const DEFAULT_MAX_BACKGROUND = 64;

export interface BackgroundCounts {
  readonly running: number;
  /** The number of async rules that were not started because the limit was reached. */
  readonly dropped: number;
}

export class Background {
  readonly #limit: number;
  readonly #onEnd: ((report: BackgroundReport) => void) | undefined;
  readonly #running: Readonly<Record<Side, Set<Promise<void>>>> = { own: new Set(), project: new Set() };
  #dropped = 0;

  constructor(limit: number, onEnd: ((report: BackgroundReport) => void) | undefined) {
    this.#limit = limit;
    this.#onEnd = onEnd;
  }

  get counts(): BackgroundCounts {
    return { running: this.#running.own.size + this.#running.project.size, dropped: this.#dropped };
  }

  /** Starts a rule unless the limit is reached. Returns an outcome that decides nothing. */
  start(rule: Rule, event: HookEvent, run: () => Promise<RunResult>): HookOutcome {
    const full = this.#refuseWhenFull(rule, event);
    if (full !== undefined) return full;
    this.keep(rule, event, run());
    return undecided("the rule is async and is not waited for");
  }

  /** Adds a run that has already started. The run counts towards the limit and is never refused. */
  keep(rule: Rule, event: HookEvent, run: Promise<RunResult>): void {
    const running = this.#running[sideOf(rule)];
    const ended: Promise<void> = settled(run).then((result) => {
      running.delete(ended);
      this.#report(rule, event, result);
    });
    running.add(ended);
  }

  /** Like `start`, for a caller that waits for the end of the run. */
  async startAndWait(rule: Rule, event: HookEvent, run: () => Promise<RunResult>): Promise<RunResult | HookOutcome> {
    const full = this.#refuseWhenFull(rule, event);
    if (full !== undefined) return full;
    const result = settled(run());
    this.keep(rule, event, result);
    return result;
  }

  #refuseWhenFull(rule: Rule, event: HookEvent): HookOutcome | undefined {
    const value = this.#running[sideOf(rule)].size;
    const limit = this.#limit;
    if (value < limit) return undefined;
    this.#dropped++;
    const message = `not started: ${value} rules are running in the background, and the limit is ${limit}`;
    const failure: Failure = { kind: "unavailable", message, limit, value };
    // Calls the listener after the dispatch, because the listener may start another dispatch.
    queueMicrotask(() => this.#report(rule, event, { ok: false, failure, receipt: { micros: 0 } }));
    return undecided(message);
  }

  #report(rule: Rule, event: HookEvent, result: RunResult): void {
    if (this.#onEnd === undefined) return;
    try {
      this.#onEnd({
        rule: rule.name,
        event: event.name,
        outcome: outcomeOf(rule, result),
        wakes: wakeText(rule, result),
      });
    } catch (error) {
      // The listener belongs to the embedding program. A throwing listener must not affect other rules, so the error
      // becomes a warning.
      process.emitWarning(`onBackgroundEnd threw: ${describeThrown(error)}`, "HookboxWarning");
    }
  }

  /** Resolves when all runs that have started by now have ended. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all([...this.#running.own, ...this.#running.project]);
  }
}

/** Waits for the end of a run. If the hook detached itself, waits for the end of the detached process. */
export async function settled(run: Promise<RunResult>): Promise<RunResult> {
  const result = await run;
  return result.ok && result.detached !== undefined ? settled(result.detached) : result;
}

export function undecided(why: string): HookOutcome {
  return { status: "abstained", receipt: { micros: 0 }, dropped: [`everything: ${why}`] };
}

function outcomeOf(rule: Rule, result: RunResult): HookOutcome {
  if (result.ok) return limitReply(rule, result);
  return { status: "failed", failure: result.failure, receipt: result.receipt };
}

/** Returns the text with which a hook wakes the agent: its reason after exit code 2. Otherwise returns `null`. */
function wakeText(rule: Rule, result: RunResult): string | null {
  if (rule.rewakes !== true || result.receipt.exitCode !== 2) return null;
  const reason = result.ok ? result.reply.reason : undefined;
  return cleanText(reason ?? result.receipt.stderr ?? "");
}
