import { join } from "node:path";
import { DiskScopes, type KeptScope } from "../state/disk-scopes.ts";
import type { HeldMutex } from "../state/held-mutex.ts";

/**
 * Records which rules with `once` have run, for all processes that use the same state folder. A run is claimed by the
 * mutex of the rule's scope. If the folder cannot be used, a rule may run more often than once.
 */
export class OnceStore {
  readonly #stores: () => Record<OnceScope, DiskScopes>;

  constructor(stateFolder: string | (() => string)) {
    let stores: Record<OnceScope, DiskScopes> | undefined;
    this.#stores = () => {
      const folder = join(typeof stateFolder === "string" ? stateFolder : stateFolder(), "once");
      stores ??= {
        session: new DiskScopes(join(folder, "session")),
        // In the store `forever`, each rule has its own session key.
        forever: new DiskScopes(join(folder, "forever"), { maxAgeMs: Number.POSITIVE_INFINITY }),
      };
      return stores;
    };
  }

  /** Claims a run. Never rejects. Returns `undefined` if the state folder cannot be used; the rule then runs. */
  async claim(kind: OnceScope, scope: KeptScope): Promise<SharedClaim | "done" | "busy" | undefined> {
    try {
      const store = this.#stores()[kind];
      // Reads without the mutex, so that concurrent events do not wait for each other once the rule has run.
      if ((await store.peek(scope))?.has(DONE) === true) return "done";
      const mutex = await store.take(scope, { waits: false });
      if (mutex === undefined) return "busy";
      if (!mutex.values.has(DONE)) return new SharedClaim(store, scope, mutex);
      await mutex.release();
      return "done";
    } catch {
      return undefined;
    }
  }
}

type OnceScope = "session" | "forever";

const DONE = "done";
/** How long to wait for another process, in milliseconds, before correcting the record of a run that failed later. */
const CORRECTION_MS = 2_000;

class SharedClaim {
  readonly #store: DiskScopes;
  readonly #scope: KeptScope;
  #mutex: HeldMutex | undefined;

  constructor(store: DiskScopes, scope: KeptScope, mutex: HeldMutex) {
    this.#store = store;
    this.#scope = scope;
    this.#mutex = mutex;
  }

  /** Ends the claim. May be called again with another result. Never rejects. */
  async end(isSpent: boolean): Promise<void> {
    try {
      const mutex =
        this.#mutex ?? (await this.#store.take(this.#scope, { signal: AbortSignal.timeout(CORRECTION_MS) }));
      this.#mutex = undefined;
      if (mutex === undefined) return;
      const isChanged = mutex.values.has(DONE) !== isSpent;
      if (isChanged) await mutex.save(new Map(isSpent ? [[DONE, new Uint8Array(1)]] : [])).catch(() => {});
      await mutex.release();
    } catch {
      // If the result cannot be recorded, the rule runs again.
    }
  }
}
