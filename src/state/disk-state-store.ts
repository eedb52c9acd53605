import { join } from "node:path";
import { ScopeStore, type ScopeStoreLimits } from "./scope-store.ts";
import type { StateChange, StateScope, StateStore, StateValues, StoreCall } from "./state-store.ts";
import type { Turn } from "./turn.ts";

/** How long the end of a session waits for calls of other processes in this session. */
const FORGET_MS = 2_000;

/**
 * Keeps variables in the user's state folder, for all processes that use the same folder. `load` locks the scope and
 * `release` unlocks it, so calls of one rule and session run one after the other, even in different processes.
 */
export class DiskStateStore implements StateStore {
  readonly #store: () => ScopeStore;
  readonly #turns = new Map<string, Turn>();

  /** A function is called at the first call. If the function throws, that call fails with its error. */
  constructor(stateFolder: string | (() => string), limits: ScopeStoreLimits = {}) {
    let store: ScopeStore | undefined;
    this.#store = () => {
      const folder = typeof stateFolder === "string" ? stateFolder : stateFolder();
      store ??= new ScopeStore(join(folder, "guards"), limits);
      return store;
    };
  }

  async load(scope: StateScope, { signal }: StoreCall): Promise<StateValues> {
    const turn = (await this.#store().take(scope, { signal })) as Turn;
    this.#turns.set(keyOf(scope), turn);
    return turn.values;
  }

  async save(scope: StateScope, changes: readonly StateChange[], { signal }: StoreCall): Promise<void> {
    const turn = this.#turns.get(keyOf(scope));
    if (turn === undefined) throw new Error("saved without a load before it");
    const values = new Map(turn.values);
    for (const [key, value] of changes) {
      if (value === null) values.delete(key);
      else values.set(key, value);
    }
    await turn.save(values, signal);
  }

  async release(scope: StateScope): Promise<void> {
    const turn = this.#turns.get(keyOf(scope));
    this.#turns.delete(keyOf(scope));
    await turn?.release();
  }

  forget(session: string): Promise<void> {
    return this.#store().forget(session, AbortSignal.timeout(FORGET_MS));
  }
}

const keyOf = ({ layer, session, rule }: StateScope): string => `${layer}/${session}/${rule}`;
