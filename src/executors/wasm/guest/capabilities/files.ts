import type { GuestBlocks } from "../guest-blocks.ts";
import type { Effects } from "../protocol.ts";
import type { CallTerms, CapabilityHost, HostCall } from "./capability.ts";

/** Files that a rule grants its guard. */
export class FilesHost implements CapabilityHost {
  readonly functions: Readonly<Record<"file_read" | "file_write", HostCall>>;

  constructor(blocks: GuestBlocks) {
    const refused = (name: string) => (): never =>
      blocks.refuse({ kind: "capability", message: `${name} needs a grant of "paths"` });
    this.functions = { file_read: refused("file_read"), file_write: refused("file_write") };
  }

  begin(_: CallTerms): void {}

  get writes(): Effects["files"] {
    return undefined;
  }
}
