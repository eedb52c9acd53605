import type { Phase } from "../../../outcome.ts";

/** thread -> engine: the guest of a call runs now. */
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
 * Tells calls when a thread has taken them. Piscina gives calls to threads in their order and says nothing, so this only
 * counts: a slip costs a call some of its time, and nobody's answer depends on it.
 */
export class CallStarts {
  readonly #threads: () => number;
  readonly #waiting = new Map<number, Call>();
  readonly #taken = new Map<number, Call>();
  #made = 0;

  /** `threads`: how many take calls now. */
  constructor(threads: () => number) {
    this.#threads = threads;
  }

  /** A number for a call; `leave` when it is over. `isLinked`: its guest need not be linked first, as far as is known. */
  enter(enter: Call["enter"], isLinked: boolean): number {
    this.#made += 1;
    this.#waiting.set(this.#made, { enter, isLinked });
    this.serve();
    return this.#made;
  }

  /** Whether a thread is free for the call, as far as is known. */
  hasThread(call: number): boolean {
    return this.#taken.has(call);
  }

  leave(call: number): void {
    if (!this.#waiting.delete(call)) this.#taken.delete(call);
    this.serve();
  }

  /** To be called when there is one more thread. */
  serve(): void {
    for (const [id, call] of this.#waiting) {
      if (this.#taken.size >= this.#threads()) return;
      this.#waiting.delete(id);
      this.#taken.set(id, call);
      call.enter(call.isLinked ? "work" : "load");
    }
  }

  /** What a thread says outside of its calls. */
  hear(message: unknown): void {
    const began = message as Partial<CallBegan> | null;
    if (began?.kind !== CALL_BEGAN) return;
    const id = began.call as number;
    // The thread knows better than the count, which may be behind: without this a call would work without a clock.
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) {
      this.#waiting.delete(id);
      this.#taken.set(id, waiting);
    }
    this.#taken.get(id)?.enter("work");
  }
}
