import type { GuestBlocks } from "../guest-blocks.ts";
import type { CallTerms, CapabilityHost, HostCall } from "./capability.ts";

/** 2000-01-01T00:00:00Z, in milliseconds since 1970. */
export const FIXED_NOW_MS = 946_684_800_000;

/** What time it is: for most guards always the same. */
export class ClockHost implements CapabilityHost {
  readonly functions: Readonly<Record<"clock_now", HostCall>>;
  #isGranted = false;
  /** The next reading; `undefined` for the machine's own clock. */
  #nextMs: number | undefined = FIXED_NOW_MS;

  constructor(blocks: GuestBlocks) {
    this.functions = {
      clock_now: () =>
        this.#isGranted
          ? this.now()
          : blocks.refuse({ kind: "capability", message: 'clock_now needs a grant of "clock"' }),
    };
  }

  begin({ setup, task: { given } }: CallTerms): void {
    const clock = setup.grants?.clock;
    this.#isGranted = clock !== undefined;
    this.#nextMs = clock === "real" && given === undefined ? undefined : Math.trunc(given?.nowMs ?? FIXED_NOW_MS);
  }

  /**
   * Milliseconds since 1970. Without a grant of the real clock they start at the same moment in each call, and go on by
   * one with each reading: a guard that waits for time to pass does not wait for ever.
   */
  now(): bigint {
    if (this.#nextMs === undefined) return BigInt(Date.now());
    const now = BigInt(this.#nextMs);
    this.#nextMs += 1;
    return now;
  }
}
