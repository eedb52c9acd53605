import type { GuestBlocks } from "../guest-blocks.ts";
import type { CallTerms, CapabilityHost, HostCall } from "./capability.ts";

/** What time it is: for most guards always the same. */
export class ClockHost implements CapabilityHost {
  readonly functions: Readonly<Record<"clock_now", HostCall>>;

  constructor(blocks: GuestBlocks) {
    this.functions = {
      clock_now: () => blocks.refuse({ kind: "capability", message: 'clock_now needs a grant of "clock"' }),
    };
  }

  begin(_: CallTerms): void {}
}
