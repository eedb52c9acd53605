import type { StateChange, StateScope, StateStore, StateValues, StoreCall } from "../../state/state-store.ts";
import type { StopSignal } from "../../stop-signal.ts";

/** How long the next call waits for a late store, so that late work cannot undo later changes. */
const STORE_WAIT_MS = 5_000;
/** How long a stopped store has to reject with its own reason. */
const REASON_WAIT_MS = 10;

/** Uses a store for one call. The signal ends each wait, because a store may be slow or never settle. */
export class StoreOperations {
  readonly #store: StateStore;
  readonly #scope: StateScope;
  readonly #signal: StopSignal;
  readonly #call: StoreCall;
  #underWay: Promise<unknown> | undefined;
  #isLoaded = false;

  constructor(store: StateStore, scope: StateScope, signal: StopSignal) {
    this.#store = store;
    this.#scope = scope;
    this.#signal = signal;
    this.#call = new SignalledCall(signal);
  }

  /** Loads the variables. Rejects if the store throws or rejects, and if the signal fires. */
  async load(): Promise<StateValues> {
    const loading = this.#store.load(this.#scope, this.#call);
    if (!isThenable(loading)) {
      this.#isLoaded = true;
      return copyOf(loading);
    }
    const loaded = Promise.resolve(loading);
    try {
      const values = await untilStopped(loaded, this.#signal);
      this.#isLoaded = true;
      return copyOf(values);
    } catch (error) {
      // A store that resolves late holds the scope for an ended call, so the scope is released then.
      if (!this.#isLoaded) loaded.then(() => this.#store.release?.(this.#scope)).catch(() => {});
      throw error;
    }
  }

  /**
   * Saves changes. Rejects if the store throws or rejects, and if the signal fires. After a rejection, the changes may
   * or may not be saved.
   */
  async save(changes: readonly StateChange[]): Promise<void> {
    if (this.#signal.aborted) throw new Error("stopped before anything was saved");
    const saving = this.#store.save(this.#scope, changes, this.#call);
    if (!isThenable(saving)) return;
    const saved = Promise.resolve(saving);
    this.#underWay = saved;
    await untilStopped(saved, this.#signal);
    this.#underWay = undefined;
  }

  /**
   * Calls `done` when the store has finished its work for the call, or after a timeout. Calls `done` synchronously if
   * possible.
   */
  end(done: () => void): void {
    const work = this.#underWay === undefined ? this.#release() : this.#underWay.then(this.#release, this.#release);
    if (work === undefined) {
      done();
      return;
    }
    let isDone = false;
    const finish = (): void => {
      clearTimeout(timer);
      if (!isDone) done();
      isDone = true;
    };
    const timer = setTimeout(finish, STORE_WAIT_MS);
    timer.unref();
    work.then(finish, finish);
  }

  readonly #release = (): Promise<unknown> | undefined => {
    if (!this.#isLoaded) return undefined;
    try {
      const releasing = this.#store.release?.(this.#scope);
      return isThenable(releasing) ? Promise.resolve(releasing) : undefined;
    } catch {
      return undefined;
    }
  };
}

/** Creates the `AbortSignal` only if the store reads it, because few stores do. */
class SignalledCall implements StoreCall {
  readonly #stop: StopSignal;
  #controller: AbortController | undefined;

  constructor(stop: StopSignal) {
    this.#stop = stop;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      if (this.#stop.aborted) controller.abort(this.#stop.reason);
      else this.#stop.addEventListener("abort", () => controller.abort(this.#stop.reason), { once: true });
    }
    return this.#controller.signal;
  }
}

/**
 * Copies values, because sending a view to another thread would copy its whole buffer. Throws if `values` is not a map
 * of strings to bytes.
 */
function copyOf(values: unknown): StateValues {
  if (!(values instanceof Map)) throw new TypeError(`the store returned ${describe(values)} instead of a Map`);
  const copy = new Map<string, Uint8Array>();
  for (const [key, value] of values as ReadonlyMap<unknown, unknown>) {
    if (typeof key !== "string") throw new TypeError("the store returned a key that is not a string");
    if (!(value instanceof Uint8Array))
      throw new TypeError(`the store returned ${describe(value)} instead of a Uint8Array`);
    copy.set(key, new Uint8Array(value));
  }
  return copy;
}

const describe = (value: unknown): string => (value === null ? "null" : typeof value);

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === "function";
}

function untilStopped<Value>(work: Promise<Value>, signal: StopSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const stop = (): void => {
      timer = setTimeout(() => reject(new Error("stopped while the store was working")), REASON_WAIT_MS);
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    });
  });
}
