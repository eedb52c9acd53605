import type { StopSignal } from "../../../stop-signal.ts";

/** One at a time for each key, in the order in which they came. */
export class Turns {
  /** Those who wait for a turn, of each key that somebody has. */
  readonly #queues = new Map<string, Set<() => void>>();
  readonly #maxWaiting: number;
  #waiting = 0;

  /** `maxWaiting`: of all keys together. */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Resolves when the turn has come; {@link end} gives it on. Rejects when the signal fires before that, or as too many
   * wait.
   */
  async take(key: string, signal: StopSignal): Promise<void> {
    if (signal.aborted) throw new Error("stopped before it began");
    const queue = this.#queues.get(key);
    if (queue === undefined) {
      this.#queues.set(key, new Set());
      return;
    }
    if (this.#waiting >= this.#maxWaiting) {
      throw new Error(`${this.#waiting} calls wait for their turn; the limit is ${this.#maxWaiting}`);
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
          reject(new Error("stopped while it waited for its turn"));
        };
        queue.add(begin);
        signal.addEventListener("abort", leave, { once: true });
      });
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Of the one whose turn it is. */
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
