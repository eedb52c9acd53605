import type { Problem } from "../errors.ts";
import type { Network } from "../grants.ts";
import { type CheckedFetch, openCheckedFetch } from "../net/checked-fetch.ts";
import type { ModelChoice, ModelProvider } from "../rule.ts";
import { Stop, type StopSignal } from "../stop-signal.ts";
import type { Environment } from "./access.ts";
import { askFunction } from "./ask-function.ts";
import { askProvider, providerProblem } from "./ask-provider.ts";
import { limitInputDepth } from "./limit-input-depth.ts";
import type { ModelFunction, ModelRequest, ModelResult } from "./model.ts";
import { failed, stoppableRequest } from "./stoppable-request.ts";

export interface ModelsOptions {
  /** The embedder's own models, by the names that rules use. */
  readonly functions?: Readonly<Record<string, ModelFunction>> | undefined;
  /** The environment from which keys and addresses are read. Default: `process.env`. */
  readonly environment?: Environment;
}

/** The maximum length of an answer. Streams need a few hundred bytes for each word. */
const MAX_ANSWER_BYTES = 8_388_608;

/** Asks providers and functions, and owns their open connections. */
export class Models {
  readonly #functions: Readonly<Record<string, ModelFunction>>;
  readonly #environment: Environment;
  readonly #fetches = new Map<Network, CheckedFetch>();
  readonly #closing = new Stop();

  constructor({ functions = {}, environment = process.env }: ModelsOptions = {}) {
    this.#functions = functions;
    this.#environment = environment;
  }

  /** Returns a problem if the model cannot be asked, without asking it. `undefined`: no problem. */
  async problemOf({ provider }: ModelChoice): Promise<Omit<Problem, "severity" | "place"> | undefined> {
    if (provider.kind !== "function") return providerProblem(provider, this.#environment);
    return this.#functionOf(provider.name) === undefined ? noFunction(provider.name) : undefined;
  }

  /** Asks a model. Never rejects. The caller's signal ends the request in any state. */
  ask({ provider, model }: ModelChoice, asked: ModelRequest, stop: StopSignal): Promise<ModelResult> {
    const request = { ...asked, model };
    return stoppableRequest(stop, this.#closing, async (signal) =>
      limitInputDepth(await this.#answer(provider, request, signal)),
    );
  }

  /** Ends every request and connection. Later questions fail. */
  async close(): Promise<void> {
    this.#closing.abort(undefined);
    await Promise.all([...this.#fetches.values()].map((fetch) => fetch.close()));
  }

  async #answer(provider: ModelProvider, request: ModelRequest, signal: AbortSignal): Promise<ModelResult> {
    if (provider.kind !== "function") {
      const { fetch } = this.#fetchFor(provider.network);
      return askProvider(provider, request, { environment: this.#environment, fetch, signal });
    }
    const run = this.#functionOf(provider.name);
    if (run !== undefined) return askFunction(run, request, signal);
    const { code, message } = noFunction(provider.name);
    return failed({ kind: "unavailable", code, message });
  }

  #functionOf(name: string): ModelFunction | undefined {
    return Object.hasOwn(this.#functions, name) ? this.#functions[name] : undefined;
  }

  #fetchFor(network: Network): CheckedFetch {
    const opened = this.#fetches.get(network) ?? openCheckedFetch({ network, maxBodyBytes: MAX_ANSWER_BYTES });
    this.#fetches.set(network, opened);
    return opened;
  }
}

function noFunction(name: string): Pick<Problem, "code" | "message"> {
  return { code: "HOOK_MODEL_PROVIDER", message: `there is no function for the models of ${name}` };
}
