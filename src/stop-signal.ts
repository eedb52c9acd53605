import type { Phase } from "./outcome.ts";

/**
 * What tells an executor to stop. An `AbortSignal` is one; ours is for calls that take less time than it takes to make
 * an `AbortSignal` and to collect it afterwards.
 */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
  /**
   * Says what the run is busy with from now on. Only `work` counts against the rule's `timeoutMs`: a guest that runs, a
   * process that lives, a request that is out. A run begins with `work`. Default: nobody measures.
   */
  readonly enter?: ((phase: Phase) => void) | undefined;
}

/** Fires once, or never. */
export class Stop implements StopSignal {
  aborted = false;
  reason: unknown;
  readonly enter: ((phase: Phase) => void) | undefined;
  #listeners: (() => void)[] = [];

  constructor(enter?: (phase: Phase) => void) {
    this.enter = enter;
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }

  addEventListener(_type: "abort", listener: () => void): void {
    if (!this.aborted) this.#listeners.push(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners = this.#listeners.filter((one) => one !== listener);
  }
}
