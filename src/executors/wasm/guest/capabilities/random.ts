import type { GuestBlocks } from "../guest-blocks.ts";
import type { CallTerms, CapabilityHost, HostCall } from "./capability.ts";

/** Numbers that nobody can foresee, or that only look so and are the same for the same event. */
export class RandomHost implements CapabilityHost {
  readonly functions: Readonly<Record<"random_bits", HostCall>>;

  constructor(blocks: GuestBlocks) {
    this.functions = {
      random_bits: () => blocks.refuse({ kind: "capability", message: 'random_bits needs a grant of "random"' }),
    };
  }

  begin(_: CallTerms): void {}
}
