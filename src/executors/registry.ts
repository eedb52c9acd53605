import type { HookEvent } from "../event.ts";
import type { HandlerType } from "../rule.ts";
import type { Executor } from "./executor.ts";

export class ExecutorRegistry {
  readonly #executors: ReadonlyMap<HandlerType, Executor>;

  readonly #closeShared: () => Promise<void>;

  /** `closeShared` runs after all executors are closed, and ends resources that the executors share. */
  constructor(executors: readonly Executor[], closeShared: () => Promise<void> = async () => {}) {
    this.#executors = new Map(executors.map((executor) => [executor.type, executor]));
    this.#closeShared = closeShared;
  }

  get(type: HandlerType): Executor {
    const executor = this.#executors.get(type);
    if (executor === undefined) throw new TypeError(`no executor for handler type ${type}`);
    return executor;
  }

  /** Called after all rules have judged an event that ends its session. */
  sessionEnded(event: HookEvent): void {
    for (const executor of this.#executors.values()) executor.sessionEnded?.(event);
  }

  async close(threadsMs?: number): Promise<void> {
    await Promise.all([...this.#executors.values()].map((executor) => executor.close(threadsMs)));
    await this.#closeShared();
  }
}
