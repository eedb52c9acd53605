import type { StopSignal } from "../../stop-signal.ts";

/** A mutex for each key. Waiting callers get the mutex in the order of their arrival. */
export class KeyedMutex {
  /** Waiting callers of each locked key. */
  readonly #queues = new Map<string, Set<() => void>>();
  readonly #maxWaiting: number;
  #waiting = 0;

  /** `maxWaiting` is the maximum number of waiting callers of all keys together. */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  /** Locks a key. Unlock it with {@link end}. Rejects if the signal fires first, or if too many callers wait. */
  async take(key: string, signal: StopSignal): Promise<void> {
    if (signal.aborted) throw new Error("stopped before it began");
    const queue = this.#queues.get(key);
    if (queue === undefined) {
      this.#queues.set(key, new Set());
      return;
    }
    if (this.#waiting >= this.#maxWaiting) {
      throw new Error(
        `${this.#waiting} calls wait for an earlier call of their rule and session; the limit is ${this.#maxWaiting}`,
      );
    }
    this.#waiting += 1;
    try {
      await new Promise<void>((resolve, reject) => {
        const begin = (): void => {
          signal.removeEventListener("abort", leave);
          resolve();
        };
        const leave = (): void => {
          queue.delete(begin);
          reject(new Error("stopped while it waited for an earlier call of its rule and session"));
        };
        queue.add(begin);
        signal.addEventListener("abort", leave, { once: true });
      });
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Unlocks a key. Must be called by the caller that locked it. */
  end(key: string): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) return;
    const [next] = queue;
    if (next === undefined) {
      this.#queues.delete(key);
      return;
    }
    queue.delete(next);
    next();
  }
}
