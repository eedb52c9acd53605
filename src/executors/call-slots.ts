import type { Failure } from "../outcome.ts";
import type { StopSignal } from "../stop-signal.ts";

/** Limits the number of calls at the same time. Further calls wait in a queue. */
export class CallSlots {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(atOnce: number, maxWaiting: number) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Waits for a slot, which the caller must give back. Returns a failure if the caller gets no slot. */
  async take(stop: StopSignal): Promise<Failure | undefined> {
    if (stop.aborted) return stop.reason as Failure;
    if (this.#taken < this.#atOnce) {
      this.#taken += 1;
      return undefined;
    }
    const value = this.#waiting.size + 1;
    const limit = this.#maxWaiting;
    if (value > limit) {
      const message = `has ${value - 1} calls waiting for it, and no more than ${limit} may`;
      return { kind: "unavailable", message, limit, value };
    }
    return new Promise((resolve) => {
      const onSlot = (): void => {
        stop.removeEventListener("abort", onStop);
        resolve(undefined);
      };
      const onStop = (): void => {
        this.#waiting.delete(onSlot);
        resolve(stop.reason as Failure);
      };
      stop.addEventListener("abort", onStop, { once: true });
      this.#waiting.add(onSlot);
    });
  }

  /** Passes the slot to the next call in the queue. */
  giveBack(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#taken -= 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
