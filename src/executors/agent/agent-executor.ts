import type { HookEvent } from "../../event.ts";
import type { Models } from "../../models/models.ts";
import type { RunResult } from "../../outcome.ts";
import type { Rule } from "../../rule.ts";
import type { Executor, RunOptions } from "../executor.ts";

export class AgentExecutor implements Executor {
  readonly type = "agent";
  readonly #models: Models;

  constructor(models: Models) {
    this.#models = models;
  }

  async run(rule: Rule, _event: HookEvent, _options: RunOptions): Promise<RunResult> {
    if (rule.handler.type !== "agent") throw new TypeError(`rule ${rule.id} is not of type agent`);
    const message = "not built yet" + String(this.#models === undefined);
    return { ok: false, failure: { kind: "unavailable", message }, receipt: { micros: 0 } };
  }

  async close(): Promise<void> {}
}
