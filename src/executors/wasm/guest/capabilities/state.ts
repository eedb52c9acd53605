import type { GuestBlocks } from "../guest-blocks.ts";
import type { Effects } from "../protocol.ts";
import type { CallTerms, CapabilityHost, HostCall } from "./capability.ts";

/** Variables that a guard keeps from call to call of a session. A call sees its own changes; they count once it has answered. */
export class StateHost implements CapabilityHost {
  readonly functions: Readonly<Record<"var_get" | "var_set", HostCall>>;
  #changes: Map<string, Uint8Array | null> | undefined;

  constructor(blocks: GuestBlocks) {
    const refused = (name: string) => (): never =>
      blocks.refuse({ kind: "capability", message: `${name} needs a grant of "state"` });
    this.functions = { var_get: refused("var_get"), var_set: refused("var_set") };
  }

  begin(_: CallTerms): void {
    this.#changes = undefined;
  }

  get changes(): Effects["state"] {
    return this.#changes === undefined ? undefined : [...this.#changes];
  }
}
