import { join } from "node:path";
import { DiskScopes, type DiskScopesLimits } from "./disk-scopes.ts";
import type { HeldMutex } from "./held-mutex.ts";
import type { StateChange, StateScope, StateStore, StateValues, StoreCall } from "./state-store.ts";

/** How long the end of a session waits for calls of other processes in this session. */
const FORGET_MS = 2_000;

/**
 * Keeps variables in the user's state folder, for all processes that use the same folder. `load` locks the scope and
 * `release` unlocks it, so calls of one rule and session run one after the other, even in different processes.
 */
export class DiskStateStore implements StateStore {
  readonly #store: () => DiskScopes;
  readonly #mutexes = new Map<string, HeldMutex>();

  /** A function is called at the first call. If the function throws, that call fails with its error. */
  constructor(stateFolder: string | (() => string), limits: DiskScopesLimits = {}) {
    let store: DiskScopes | undefined;
    this.#store = () => {
      const folder = typeof stateFolder === "string" ? stateFolder : stateFolder();
      store ??= new DiskScopes(join(folder, "guards"), limits);
      return store;
    };
  }

  async load(scope: StateScope, { signal }: StoreCall): Promise<StateValues> {
    const mutex = (await this.#store().take(scope, { signal })) as HeldMutex;
    this.#mutexes.set(keyOf(scope), mutex);
    return mutex.values;
  }

  async save(scope: StateScope, changes: readonly StateChange[], { signal }: StoreCall): Promise<void> {
    const mutex = this.#mutexes.get(keyOf(scope));
    if (mutex === undefined) throw new Error("saved without a load before it");
    const values = new Map(mutex.values);
    for (const [key, value] of changes) {
      if (value === null) values.delete(key);
      else values.set(key, value);
    }
    await mutex.save(values, signal);
  }

  async release(scope: StateScope): Promise<void> {
    const mutex = this.#mutexes.get(keyOf(scope));
    this.#mutexes.delete(keyOf(scope));
    await mutex?.release();
  }

  forget(session: string): Promise<void> {
    return this.#store().forget(session, AbortSignal.timeout(FORGET_MS));
  }
}

const keyOf = ({ layer, session, rule }: StateScope): string => `${layer}/${session}/${rule}`;
