import type { Problem } from "../errors.ts";
import type { ModelChoice } from "../rule.ts";
import { Stop, type StopSignal } from "../stop-signal.ts";
import { askFunction } from "./ask-function.ts";
import type { ModelFunction, ModelRequest, ModelResult } from "./model.ts";
import { failed, underStop } from "./under-stop.ts";

export interface ModelsOptions {
  /** The embedder's own, by the names that rules call them. */
  readonly functions?: Readonly<Record<string, ModelFunction>> | undefined;
  /** Where keys and addresses are read from. Default: `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Whoever answers for models, with what is open to them. */
export class Models {
  readonly #functions: Readonly<Record<string, ModelFunction>>;
  readonly #closing = new Stop();

  constructor({ functions = {} }: ModelsOptions = {}) {
    this.#functions = functions;
  }

  /** Finds out without a question whether one could be asked: `undefined`, or what is missing. */
  async problemOf(_choice: ModelChoice): Promise<Omit<Problem, "severity" | "place"> | undefined> {
    return undefined;
  }

  /** Never rejects. The caller's signal ends everything, whatever the provider does. */
  ask({ provider, model }: ModelChoice, request: ModelRequest, stop: StopSignal): Promise<ModelResult> {
    return underStop(stop, this.#closing, async (signal) => {
      const run = Object.hasOwn(this.#functions, provider.name) ? this.#functions[provider.name] : undefined;
      if (run !== undefined) return askFunction(run, { ...request, model }, signal);
      return failed({ kind: "unavailable", message: `nobody asks ${provider.name} yet` });
    });
  }

  /** Ends every request and connection. */
  async close(): Promise<void> {
    this.#closing.abort(undefined);
  }
}
