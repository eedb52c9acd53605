import type { Problem } from "../errors.ts";
import type { HookEvent } from "../event.ts";
import type { RunResult } from "../outcome.ts";
import type { HandlerType, Rule } from "../rule.ts";
import type { Executor, RunOptions } from "./executor.ts";

/** An executor that is loaded when a rule first needs it, because most one-shot processes need few executors. */
export class LazyExecutor implements Executor {
  readonly type: HandlerType;
  readonly #load: () => Promise<Executor>;
  readonly #quiet: () => Promise<void>;
  #loaded: Promise<Executor> | undefined;
  #isReady = false;

  /** The first run awaits `quiet` before loading the executor, because loading blocks the thread of other rules. */
  constructor(type: HandlerType, load: () => Promise<Executor>, quiet: () => Promise<void> = async () => {}) {
    this.type = type;
    this.#load = load;
    this.#quiet = quiet;
  }

  async prepare(rule: Rule): Promise<readonly Problem[]> {
    const executor = await this.#executor();
    return (await executor.prepare?.(rule)) ?? [];
  }

  async run(rule: Rule, event: HookEvent, options: RunOptions): Promise<RunResult> {
    if (this.#isReady) return (await this.#executor()).run(rule, event, options);
    options.signal.enter?.("queue");
    if (this.#loaded === undefined) await this.#quiet();
    options.signal.enter?.("load");
    const executor = await this.#executor();
    this.#isReady = true;
    options.signal.enter?.("work");
    return executor.run(rule, event, options);
  }

  async close(threadsMs?: number): Promise<void> {
    if (this.#loaded === undefined) return;
    await (await this.#loaded).close(threadsMs);
  }

  #executor(): Promise<Executor> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }
}
