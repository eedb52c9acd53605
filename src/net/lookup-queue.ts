import type { StopSignal } from "../stop-signal.ts";
import type { ResolvedAddress, Resolver } from "./checked-lookup.ts";

/**
 * The system looks names up in the same four threads that read and write files for all of us, and a name whose server
 * does not answer holds one for many seconds, which nobody can end. Two are left to others.
 */
const MAX_RUNNING = 2;

export interface LookupTerms {
  /** Who may have one of the lookups that run, and not all of them. */
  readonly holder: object;
  /** Once it has fired, nobody waits any more. */
  readonly signal: StopSignal;
}

interface Waiting extends LookupTerms {
  readonly host: string;
  settle(found: Promise<readonly ResolvedAddress[]>): void;
}

interface Running {
  readonly holder: object;
  readonly found: Promise<readonly ResolvedAddress[]>;
}

/**
 * Looks names up, few at a time. Equal lookups in flight are one; nothing is remembered after that, and each who asked
 * judges the addresses by his own terms.
 */
export class LookupQueue {
  readonly #resolve: Resolver;
  readonly #running = new Map<string, Running>();
  #waiting: Waiting[] = [];

  constructor(resolve: Resolver) {
    this.#resolve = resolve;
  }

  ask(host: string, terms: LookupTerms): Promise<readonly ResolvedAddress[]> {
    return new Promise((resolve, reject) => {
      const { signal } = terms;
      const giveUp = (): void => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting);
        reject(new Error("the call is over"));
      };
      const waiting: Waiting = {
        ...terms,
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

  /** In the order in which they came, but for those whose holder has its share already. */
  #goOn(): void {
    for (const one of this.#waiting) {
      if (!this.#running.has(one.host) && this.#mayStart(one)) this.#start(one);
    }
    // What has just been started may be what somebody before it has asked for as well.
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
