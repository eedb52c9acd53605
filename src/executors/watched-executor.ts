import { setImmediate as nextTurn } from "node:timers/promises";
import type { Problem } from "../errors.ts";
import type { HookEvent } from "../event.ts";
import type { RunResult } from "../outcome.ts";
import type { HandlerType, Rule } from "../rule.ts";
import type { Executor, RunOptions } from "./executor.ts";

/** Wraps an executor and knows the executor's running calls. */
export class WatchedExecutor implements Executor {
  readonly type: HandlerType;
  readonly #executor: Executor;
  readonly #underWay = new Set<Promise<RunResult>>();

  constructor(executor: Executor) {
    this.type = executor.type;
    this.#executor = executor;
  }

  async prepare(rule: Rule): Promise<readonly Problem[]> {
    return (await this.#executor.prepare?.(rule)) ?? [];
  }

  run(rule: Rule, event: HookEvent, options: RunOptions): Promise<RunResult> {
    const run = this.#executor.run(rule, event, options);
    this.#underWay.add(run);
    const end = (): void => void this.#underWay.delete(run);
    run.then(end, end);
    return run;
  }

  /** Resolves when the runs that start in this turn of the event loop, and all earlier runs, have ended. */
  async settled(): Promise<void> {
    await nextTurn();
    await Promise.allSettled(this.#underWay);
  }

  sessionEnded(event: HookEvent): void {
    this.#executor.sessionEnded?.(event);
  }

  close(threadsMs?: number): Promise<void> {
    return this.#executor.close(threadsMs);
  }
}
