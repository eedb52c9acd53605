import type { StopSignal } from "../../../stop-signal.ts";
import type { StateValues } from "../guest/protocol.ts";
import type { StateChange, StateScope, StateStore, StoreCall } from "./state-store.ts";

/** After a deadline, for a store that is still at it: what it does late must not undo what the next call does. */
const STORE_WAIT_MS = 5_000;
/** A store that was stopped may say within this time what it was waiting for. */
const REASON_WAIT_MS = 10;

/** What one call has a store do. A store may be slow, fail, give anything or never come back: the signal ends the wait. */
export class StoreTurn {
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

  /** Rejects with whatever the store throws, and when the signal fires. */
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
      // It may come late, and hold the scope for a call that is over.
      if (!this.#isLoaded) loaded.then(() => this.#store.release?.(this.#scope)).catch(() => {});
      throw error;
    }
  }

  /** Rejects with whatever the store throws, and when the signal fires: then nobody knows what was saved. */
  async save(changes: readonly StateChange[]): Promise<void> {
    if (this.#signal.aborted) throw new Error("stopped before anything was saved");
    const saving = this.#store.save(this.#scope, changes, this.#call);
    if (!isThenable(saving)) return;
    const saved = Promise.resolve(saving);
    this.#underWay = saved;
    await untilStopped(saved, this.#signal);
    this.#underWay = undefined;
  }

  /** Calls `done` when the store has nothing more to do for the call, or has taken far too long: at once, if it can. */
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

/** Few stores look at the signal, and most calls have none of their own. */
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
 * Values as they can be sent to another thread: a view of a buffer that others share would take the buffer along.
 * Throws for anything that is no map of texts to bytes.
 */
function copyOf(values: unknown): StateValues {
  if (!(values instanceof Map)) throw new TypeError(`the store gave ${describe(values)} instead of a Map`);
  const copy = new Map<string, Uint8Array>();
  for (const [key, value] of values as ReadonlyMap<unknown, unknown>) {
    if (typeof key !== "string") throw new TypeError("the store gave a key that is not a string");
    if (!(value instanceof Uint8Array))
      throw new TypeError(`the store gave ${describe(value)} instead of a Uint8Array`);
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
      timer = setTimeout(() => reject(new Error("stopped while the store was at work")), REASON_WAIT_MS);
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    });
  });
}
