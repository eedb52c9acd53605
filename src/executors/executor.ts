import type { Problem } from "../errors.ts";
import type { HookEvent } from "../event.ts";
import type { Failure, RunResult } from "../outcome.ts";
import type { HandlerType, Rule } from "../rule.ts";
import type { StopSignal } from "../stop-signal.ts";

export interface RunOptions {
  /**
   * Fires at the end of the rule's `timeoutMs` or of the event's patience, and when the caller cancels. `reason` is a
   * `Failure`. The engine has already recorded the failure, so an executor only has to stop its work.
   */
  readonly signal: StopSignal;
  /** Milliseconds until the run must end, if all remaining time counts as work. */
  readonly timeLeftMs: number;
  /** Returns the failure if the time is over. Needed for a run that blocked the thread, so that no timer could fire. */
  readonly overdue?: () => Failure | undefined;
}

/** Runs one handler type. Never throws because of a hook: the result contains the hook's failure. */
export interface Executor {
  readonly type: HandlerType;
  /** Checks before the first event whether a rule can run. A rule with a problem still fails when it runs. */
  prepare?(rule: Rule): Promise<readonly Problem[]>;
  run(rule: Rule, event: HookEvent, options: RunOptions): Promise<RunResult>;
  /** Called after all rules judged an event that ended its session, so that the session's data can be removed. */
  sessionEnded?(event: HookEvent): void;
  /** Stops everything. Resolves when everything has ended or cannot be ended. Waits at most `threadsMs` for threads. */
  close(threadsMs?: number): Promise<void>;
}
