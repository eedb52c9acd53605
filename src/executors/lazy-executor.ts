import type { Problem } from "../errors.ts";
import type { HookEvent } from "../event.ts";
import type { RunResult } from "../outcome.ts";
import type { HandlerType, Rule } from "../rule.ts";
import type { Executor, RunOptions } from "./executor.ts";

/** An executor that is loaded with the first rule that needs it: most processes that serve one event never do. */
export class LazyExecutor implements Executor {
  readonly type: HandlerType;
  readonly #load: () => Promise<Executor>;
  #loaded: Promise<Executor> | undefined;

  constructor(type: HandlerType, load: () => Promise<Executor>) {
    this.type = type;
    this.#load = load;
  }

  async prepare(rule: Rule): Promise<readonly Problem[]> {
    const executor = await this.#executor();
    return (await executor.prepare?.(rule)) ?? [];
  }

  async run(rule: Rule, event: HookEvent, options: RunOptions): Promise<RunResult> {
    const executor = await this.#executor();
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
