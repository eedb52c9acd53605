import type { Problem } from "../errors.ts";
import type { HookEvent } from "../event.ts";
import type { Failure, RunResult } from "../outcome.ts";
import type { HandlerType, Rule } from "../rule.ts";
import type { StopSignal } from "../stop-signal.ts";

export interface RunOptions {
  /**
   * Fires when the rule's `timeoutMs` or the event's patience has run out, and when the caller gives up; `reason` is a
   * `Failure`. The engine has answered for the rule by then, so an executor only has to stop what it started.
   */
  readonly signal: StopSignal;
  /** Milliseconds left until then at the start of the run, if it works from there on. */
  readonly timeLeftMs: number;
  /** For a run that kept the thread busy, so that no timer could fire: the failure, if its time is over. */
  readonly overdue?: () => Failure | undefined;
}

/** Runs one handler type. Never throws for what a hook does: that is a failure in the result. */
export interface Executor {
  readonly type: HandlerType;
  /** Finds out before the first event whether a rule can run. A rule that cannot still fails by name when it runs. */
  prepare?(rule: Rule): Promise<readonly Problem[]>;
  run(rule: Rule, event: HookEvent, options: RunOptions): Promise<RunResult>;
  /** An event that ends its session has been judged. What was kept for the session alone is wanted no more. */
  sessionEnded?(event: HookEvent): void;
  /**
   * Stops everything that is still running. Resolves when nothing is left behind, or nothing more can be done.
   * `threadsMs` bounds the wait for threads to end.
   */
  close(threadsMs?: number): Promise<void>;
}
