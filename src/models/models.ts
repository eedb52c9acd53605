import type { Problem } from "../errors.ts";
import type { ModelChoice } from "../rule.ts";
import type { StopSignal } from "../stop-signal.ts";
import type { ModelFunction, ModelRequest, ModelResult } from "./model.ts";

export interface ModelsOptions {
  /** The embedder's own, by the names that rules call them. */
  readonly functions?: Readonly<Record<string, ModelFunction>> | undefined;
  /** Where keys and addresses are read from. Default: `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Whoever answers for models, with what is open to them. */
export class Models {
  readonly #functions: Readonly<Record<string, ModelFunction>>;

  constructor({ functions = {} }: ModelsOptions = {}) {
    this.#functions = functions;
  }

  /** Finds out without a question whether one could be asked: `undefined`, or what is missing. */
  async problemOf(_choice: ModelChoice): Promise<Omit<Problem, "severity" | "place"> | undefined> {
    return undefined;
  }

  /** Never rejects. The caller's signal ends everything, whatever the provider does. */
  async ask(choice: ModelChoice, _request: ModelRequest, _stop: StopSignal): Promise<ModelResult> {
    const known = Object.keys(this.#functions).join(", ");
    return {
      ok: false,
      failure: { kind: "unavailable", message: `nobody asks ${choice.provider.name} yet (${known})` },
    };
  }

  /** Ends every request and connection. */
  async close(): Promise<void> {}
}
