import type { GuestBlocks } from "../guest-blocks.ts";
import type { Effects } from "../protocol.ts";
import type { CallContext, CallFiles, CapabilityHost, HostCall } from "./capability.ts";

/** Host functions for the files that a rule grants its guard. */
export class FilesHost implements CapabilityHost {
  readonly functions: Readonly<Record<"file_read" | "file_write", HostCall>>;
  readonly #blocks: GuestBlocks;
  #granted: CallFiles | undefined;

  constructor(blocks: GuestBlocks) {
    this.#blocks = blocks;
    this.functions = {
      file_read: (_: unknown, name: bigint) => {
        const bytes = this.#files("file_read").read(blocks.block(name, "file_read"));
        return bytes === undefined ? 0n : blocks.store(bytes);
      },
      file_write: (_: unknown, name: bigint, content: bigint) =>
        this.#files("file_write").write(blocks.block(name, "file_write"), blocks.block(content, "file_write").slice()),
    };
  }

  begin({ setup: { grants }, task: { given }, files }: CallContext): void {
    this.#granted = grants?.paths === undefined ? undefined : files;
    this.#granted?.begin({ grants: grants?.paths ?? [], given, refuse: (failure) => this.#blocks.refuse(failure) });
  }

  /** Access to the granted files. `undefined` if the rule grants no paths. */
  get granted(): CallFiles | undefined {
    return this.#granted;
  }

  get writes(): Effects["files"] {
    return this.#granted?.writes;
  }

  #files(name: string): CallFiles {
    return this.#granted ?? this.#blocks.refuse({ kind: "capability", message: `${name} needs a grant of "paths"` });
  }
}
