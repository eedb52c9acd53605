import type { GuestBlocks } from "../guest-blocks.ts";
import type { CallContext, CapabilityHost, HostCall } from "./capability.ts";

/** The time 2000-01-01T00:00:00Z, in milliseconds since 1970. */
const FIXED_NOW_MS = 946_684_800_000;

/** Host functions for the time. Most guards get a fixed clock. */
export class ClockHost implements CapabilityHost {
  readonly functions: Readonly<Record<"clock_now", HostCall>>;
  #isGranted = false;
  /** The next reading of the fixed clock. `undefined`: the machine's clock is used. */
  #nextMs: number | undefined = FIXED_NOW_MS;

  constructor(blocks: GuestBlocks) {
    this.functions = {
      clock_now: () =>
        this.#isGranted
          ? this.now()
          : blocks.refuse({ kind: "capability", message: 'clock_now needs a grant of "clock"' }),
    };
  }

  begin({ setup, task: { given } }: CallContext): void {
    const clock = setup.grants?.clock;
    this.#isGranted = clock !== undefined;
    this.#nextMs = clock === "real" && given === undefined ? undefined : Math.trunc(given?.nowMs ?? FIXED_NOW_MS);
  }

  /**
   * Returns milliseconds since 1970. Without a grant of the real clock, every call starts at the same time, and each
   * reading adds one. Therefore a guard that waits for time to pass does not wait forever.
   */
  now(): bigint {
    if (this.#nextMs === undefined) return BigInt(Date.now());
    const now = BigInt(this.#nextMs);
    this.#nextMs += 1;
    return now;
  }
}
