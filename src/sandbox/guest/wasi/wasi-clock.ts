import type { CallContext } from "../capabilities/capability.ts";
import type { Clock } from "./wasi-capability.ts";
import { CLOCK } from "./wasi-codes.ts";

const NANOSECONDS = 1_000_000n;
export const RESOLUTION_NANOSECONDS = NANOSECONDS;

/**
 * The clocks of WASI, in nanoseconds. A sleep returns immediately and moves the clocks forward by its length. Therefore
 * a guest that waits for a certain time does not wait forever.
 */
export class WasiClock {
  readonly #clock: Clock;
  #isReal = false;
  #slept = 0n;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin({ setup, task }: CallContext): void {
    this.#isReal = setup.grants?.clock === "real" && task.given === undefined;
    this.#slept = 0n;
  }

  static knows(id: number): boolean {
    return id === CLOCK.realtime || id === CLOCK.monotonic;
  }

  /** Reads a clock. Without a grant, all clocks are fixed, so that the guest cannot measure the machine's speed. */
  read(id: number): bigint {
    const isSteady = this.#isReal && id === CLOCK.monotonic;
    const now = isSteady ? BigInt(Math.trunc(performance.now())) : this.#clock.now();
    return now * NANOSECONDS + this.#slept;
  }

  sleep(nanoseconds: bigint): void {
    if (nanoseconds > 0n) this.#slept += nanoseconds;
  }
}
