import { resultOf } from "../../dialects/openclaw/result-object.ts";
import { canonicalPayload } from "../../dialects/openclaw/spelling.ts";
import type { Engine } from "../../engine.ts";
import { contractOf } from "../../events/lookup.ts";
import type { EventName } from "../../events/table.ts";
import type { JsonObject } from "../../json.ts";
import { eventOf } from "./catalogue.ts";
import { dataOf, plainJson } from "./plain-json.ts";
import type { HookContext, HookEventData } from "./plugin-entry.ts";
import type { LastWord } from "./run-modifying.ts";

/** Asks an engine's rules after the plugins. The rules' answer is merged like the result of another handler. */
export class EngineJudge implements LastWord {
  readonly name = "hookbox";
  readonly shuts: boolean;
  readonly #engine: Engine;
  readonly #hook: string;
  readonly #event: EventName;

  private constructor(engine: Engine, hook: string, event: EventName) {
    this.#engine = engine;
    this.#hook = hook;
    this.#event = event;
    this.shuts = contractOf(event, "openclaw")?.onFailure === "deny";
  }

  /** Returns `undefined` if the engine has no rule for the hook. */
  static at(hook: string, engine: Engine | undefined): EngineJudge | undefined {
    const event = eventOf(hook);
    if (event === undefined || engine === undefined) return undefined;
    const isWanted = engine.rules.some((rule) => rule.event === event || rule.event === "*");
    return isWanted ? new EngineJudge(engine, hook, event) : undefined;
  }

  /** Returns the hook's result, or `undefined`. Rejects if JSON cannot express the event for a rule. */
  async ask(event: HookEventData, ctx: HookContext): Promise<JsonObject | undefined> {
    const name = this.#event;
    const shown = plainJson(event, `the event of ${this.#hook}`) as JsonObject;
    const { abortSignal, config: _, ...rest } = ctx;
    const payload = canonicalPayload(name, { event: shown, ctx: dataOf(rest) });
    const options = abortSignal === undefined ? {} : { signal: abortSignal };
    const verdict = await this.#engine.dispatch(name, payload, options);
    const result = resultOf(verdict, { name, payload });
    return Object.keys(result).length === 0 ? undefined : result;
  }

  /** Dispatches an observer's event. The rules' answers have no effect. */
  async notify(event: HookEventData, ctx: HookContext): Promise<void> {
    await this.ask(dataOf(event), ctx);
  }
}
