import type { Problem } from "../../errors.ts";
import type { HookEvent } from "../../event.ts";
import { judgeReply } from "../../events/judge-answers.ts";
import { contractOfEvent } from "../../events/lookup.ts";
import type { ModelRequest, ModelResult } from "../../models/model.ts";
import type { Models } from "../../models/models.ts";
import { isWithin, runWithin } from "../../models/recursion.ts";
import { NO_MODEL, problemsOfAsking } from "../../models/rule-problems.ts";
import type { Failure, Receipt, RunResult } from "../../outcome.ts";
import type { HandlerOf, Rule } from "../../rule.ts";
import { Stop, type StopSignal } from "../../stop-signal.ts";
import type { Executor, RunOptions } from "../executor.ts";
import { runAgent } from "./agent-loop.ts";
import { agentPrompt } from "./agent-prompt.ts";
import { openFolder } from "./confined-folder.ts";

/** How long `close` waits for stopped runs. A read that the system does not finish cannot be cancelled. */
const CLOSE_WAIT_MS = 1_000;

/** Asks a model that may read files in the event's working directory before it judges. These reads send no events. */
export class AgentExecutor implements Executor {
  readonly type = "agent";
  readonly #models: Models;
  readonly #running = new Map<Stop, Promise<RunResult>>();
  #isClosed = false;

  constructor(models: Models) {
    this.#models = models;
  }

  async prepare(rule: Rule): Promise<readonly Problem[]> {
    const { choice, prompt } = handlerOf(rule);
    return problemsOfAsking(this.#models, rule, choice, prompt.trim() === "" ? "the prompt is empty" : undefined);
  }

  async run(rule: Rule, event: HookEvent, { signal }: RunOptions): Promise<RunResult> {
    const handler = handlerOf(rule);
    if (this.#isClosed) return failed({ kind: "unavailable", message: "the engine is closed" });
    const stop = new Stop();
    const onStop = (): void => stop.abort(signal.reason);
    if (signal.aborted) onStop();
    else signal.addEventListener("abort", onStop, { once: true });
    const running = this.#judge(rule, handler, event, stop);
    this.#running.set(stop, running);
    try {
      return await running;
    } finally {
      this.#running.delete(stop);
      signal.removeEventListener("abort", onStop);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const runs = [...this.#running.values()];
    for (const stop of this.#running.keys()) {
      stop.abort({ kind: "cancelled", message: "the engine was closed while the hook was running" } satisfies Failure);
    }
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise((resolve) => {
      timer = setTimeout(resolve, CLOSE_WAIT_MS);
    });
    await Promise.race([Promise.allSettled(runs), enough]);
    clearTimeout(timer);
  }

  async #judge(rule: Rule, handler: HandlerOf<"agent">, event: HookEvent, stop: StopSignal): Promise<RunResult> {
    if (isWithin()) return failed({ kind: "unavailable", message: "a hook that thinks was asked from within one" });
    const { choice, redacts, maxTurns, maxTokens } = handler;
    if (choice === undefined) return failed({ kind: "unavailable", ...NO_MODEL });
    const begun = performance.now();
    const prompt = await agentPrompt(rule, handler, event, stop);
    if (!prompt.ok) return failed(prompt.failure);
    const opened = await openFolder(event.payload["cwd"]);
    if (!opened.ok) return failed({ kind: "unavailable", message: opened.reason });
    const ask = (request: ModelRequest): Promise<ModelResult> => this.#models.ask(choice, request, stop);
    const task = { model: choice.model, prompt: prompt.text, maxTurns, maxTokens, ask };
    const { result, ...spent } = await runWithin(() => runAgent(task, { folder: opened.folder, redacts, stop }));
    const micros = Math.round((performance.now() - begun) * 1_000);
    const receipt: Receipt = { micros, model: `${choice.provider.name}/${choice.model}`, ...spent };
    if (!result.ok) return { ok: false, failure: result.failure, receipt };
    const { compat } = rule;
    const judgeOptions = { continueOnBlock: true, compat };
    const { reply, ignored } = judgeReply(result.judgement, contractOfEvent(event, compat), event.name, judgeOptions);
    return { ok: true, reply, receipt, ...(ignored.length === 0 ? {} : { ignored }) };
  }
}

function handlerOf({ id, handler }: Rule): HandlerOf<"agent"> {
  if (handler.type !== "agent") throw new TypeError(`rule ${id} is not of type agent`);
  return handler;
}

function failed(failure: Failure): RunResult {
  return { ok: false, failure, receipt: { micros: 0 } };
}
