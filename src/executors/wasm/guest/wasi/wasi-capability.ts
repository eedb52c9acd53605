import type { CapabilityHost } from "../capabilities/capability.ts";
import type { GuestBlocks } from "../guest-blocks.ts";
import type { GuestLog } from "../guest-log.ts";

/** WASI as the guest's host knows it. What does it is loaded only by threads and processes for guests. */
export interface WasiCapability extends CapabilityHost {
  /** The memory of the guest that is about to run, which pointers point into. Nothing of it outlives `begin`. */
  attach(memory: WebAssembly.Memory | undefined): void;
  /** What a command has printed: its answer. `undefined` for anything else. */
  readonly answer: Uint8Array | undefined;
  /** The guest has ended, and with it the lines that it had begun. */
  flush(): void;
}

/** What WASI takes from the other capabilities of a call. */
export interface WasiWorld {
  /** Reading ends the call where the grant does not cover it. `undefined` where the rule grants no files. */
  readonly files: () => FileReader | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** Files that the rule grants, by the names it gives them. */
export interface FileReader {
  /** `undefined`: it is not there. */
  read(guestPath: string): Uint8Array | undefined;
}

/** The fixed clock, or the machine's where that is granted. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): bigint;
}

/** The event's random numbers, or the system's where those are granted. */
export interface Random {
  /** 64 of them. */
  bits(): bigint;
}

export type WasiMaker = (blocks: GuestBlocks, log: GuestLog, world: WasiWorld) => WasiCapability;
