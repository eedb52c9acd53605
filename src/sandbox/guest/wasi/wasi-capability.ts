import type { CapabilityHost, ServedGuest } from "../capabilities/capability.ts";
import type { GuestBlocks } from "../guest-blocks.ts";
import type { GuestLog } from "../guest-log.ts";

/** Interface of WASI for `GuestHost`. The implementation is loaded only in threads and processes for guests. */
export interface WasiCapability extends CapabilityHost {
  /** Sets the guest that will run, into which its pointers point. The next `begin` removes the memory. */
  attach(guest: Pick<ServedGuest, "memory" | "touch">): void;
  /** The stdout of a WASI command, which is its answer. `undefined` for other guests. */
  readonly answer: Uint8Array | undefined;
  /** Logs unfinished lines. Called when the guest has ended. */
  flush(): void;
}

/** The other capabilities of the call that WASI uses. */
export interface WasiWorld {
  /** Returns the reader; `undefined` without granted files. Reading a file that is not granted ends the call. */
  readonly files: () => FileReader | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** Reads granted files by the names that the rule gives them. */
export interface FileReader {
  /** Returns the file, or `undefined` if the file does not exist. */
  read(guestPath: string): Uint8Array | undefined;
}

/** The machine's clock if the rule grants it, otherwise the fixed clock. */
export interface Clock {
  /** Returns milliseconds since 1970. */
  now(): bigint;
}

/** The system's random numbers if the rule grants them, otherwise the event's. */
export interface Random {
  /** Returns 64 random bits. */
  bits(): bigint;
}

export type WasiMaker = (blocks: GuestBlocks, log: GuestLog, world: WasiWorld) => WasiCapability;
