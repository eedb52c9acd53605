import type { Phase } from "./outcome.ts";

/**
 * Tells an executor to stop. An `AbortSignal` is a `StopSignal`. The class {@link Stop} is cheaper, for calls that take
 * less time than creating and collecting an `AbortSignal`.
 */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
  /**
   * Called when the run enters another phase. A run begins with `work`. Only `work` counts against the rule's
   * `timeoutMs`: a running guest, process or request. Default: phases are not measured.
   */
  readonly enter?: ((phase: Phase) => void) | undefined;
}

/** A stop signal without the cost of an `AbortSignal`. Fires at most once. */
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
