import type { Phase } from "../../outcome.ts";

/** Message from thread to engine: the guest of a call has started to run. */
export interface CallBegan {
  readonly kind: typeof CALL_BEGAN;
  readonly call: number;
}

export const CALL_BEGAN = "hookbox:call-began";

interface Call {
  readonly enter: (phase: Phase) => void;
  readonly isLinked: boolean;
}

/**
 * Tells calls when a thread has taken them. Piscina gives calls to threads in order but does not report it, so this
 * class estimates it by counting. A wrong estimate only affects a call's measured times, never an answer.
 */
export class CallStarts {
  readonly #threads: () => number;
  readonly #waiting = new Map<number, Call>();
  readonly #taken = new Map<number, Call>();
  #made = 0;

  /** `threads` returns the number of threads that take calls now. */
  constructor(threads: () => number) {
    this.#threads = threads;
  }

  /**
   * Returns a number for a call. The caller must call `leave` after the call. `isLinked`: the guest is probably linked
   * already.
   */
  enter(enter: Call["enter"], isLinked: boolean): number {
    this.#made += 1;
    this.#waiting.set(this.#made, { enter, isLinked });
    this.serve();
    return this.#made;
  }

  /** Whether a thread has probably taken the call. */
  hasThread(call: number): boolean {
    return this.#taken.has(call);
  }

  leave(call: number): void {
    if (!this.#waiting.delete(call)) this.#taken.delete(call);
    this.serve();
  }

  /** Updates the estimate. Must be called when a thread was added. */
  serve(): void {
    for (const [id, call] of this.#waiting) {
      if (this.#taken.size >= this.#threads()) return;
      this.#waiting.delete(id);
      this.#taken.set(id, call);
      call.enter(call.isLinked ? "work" : "load");
    }
  }

  /** Handles a message that a thread sends outside of its calls. */
  receive(message: unknown): void {
    const began = message as Partial<CallBegan> | null;
    if (began?.kind !== CALL_BEGAN) return;
    const id = began.call as number;
    // The message overrides the count, which may be too low. Otherwise the call's timeout would never start.
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) {
      this.#waiting.delete(id);
      this.#taken.set(id, waiting);
    }
    this.#taken.get(id)?.enter("work");
  }
}
