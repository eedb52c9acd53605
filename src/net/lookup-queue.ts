import type { StopSignal } from "../stop-signal.ts";
import type { ResolvedAddress, Resolver } from "./dns-lookup.ts";

/**
 * The maximum number of running lookups. Node has four threads for lookups and for files. A name server that does not
 * answer blocks a thread for many seconds, and a lookup cannot be cancelled. Therefore two threads are kept free.
 */
const MAX_RUNNING = 2;

interface LookupOptions {
  /** The owner of the lookup. A holder's lookups run one at a time, so that no holder blocks the others. */
  readonly holder: object;
  /** Aborting the signal removes the request from the queue. */
  readonly signal: StopSignal;
}

interface Waiting extends LookupOptions {
  readonly host: string;
  settle(found: Promise<readonly ResolvedAddress[]>): void;
}

interface Running {
  readonly holder: object;
  readonly found: Promise<readonly ResolvedAddress[]>;
}

/**
 * Looks up a few names at a time. Callers that ask for the same name at the same time share one lookup. Results are not
 * cached, and each caller checks the addresses against its own network.
 */
export class LookupQueue {
  readonly #resolve: Resolver;
  readonly #running = new Map<string, Running>();
  #waiting: Waiting[] = [];

  constructor(resolve: Resolver) {
    this.#resolve = resolve;
  }

  ask(host: string, options: LookupOptions): Promise<readonly ResolvedAddress[]> {
    return new Promise((resolve, reject) => {
      const { signal } = options;
      const giveUp = (): void => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting);
        reject(new Error("the call is over"));
      };
      const waiting: Waiting = {
        ...options,
        host,
        settle: (found) => {
          signal.removeEventListener("abort", giveUp);
          found.then(resolve, reject);
        },
      };
      if (signal.aborted) {
        giveUp();
        return;
      }
      signal.addEventListener("abort", giveUp);
      this.#waiting.push(waiting);
      this.#goOn();
    });
  }

  /** Starts lookups in the order of their requests. Skips holders that have a running lookup. */
  #goOn(): void {
    for (const one of this.#waiting) {
      if (!this.#running.has(one.host) && this.#mayStart(one)) this.#start(one);
    }
    // An earlier request may wait for the same name as a lookup that was just started.
    this.#waiting = this.#waiting.filter(({ host, settle }) => {
      const running = this.#running.get(host);
      if (running !== undefined) settle(running.found);
      return running === undefined;
    });
  }

  #mayStart({ holder }: Waiting): boolean {
    return this.#running.size < MAX_RUNNING && ![...this.#running.values()].some((one) => one.holder === holder);
  }

  #start({ host, holder }: Waiting): void {
    const found = this.#resolve(host);
    this.#running.set(host, { holder, found });
    const end = (): void => {
      this.#running.delete(host);
      this.#goOn();
    };
    found.then(end, end);
  }
}
