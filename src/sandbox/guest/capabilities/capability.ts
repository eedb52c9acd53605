import type { PathGrant } from "../../../grants.ts";
import type { Failure } from "../../../outcome.ts";
import type { Effects, GivenWorld, GuestSetup, GuestTask } from "../protocol.ts";

/** A host function as Extism calls it. The first argument is Extism's context, which is not used. */
export type HostCall = (context: unknown, ...values: never[]) => unknown;

/** Sends a request to the engine and blocks until the answer arrives. */
export type AskEngine = (ask: HttpAsk) => HttpReply;

/** A guest's HTTP request, as plain data. Its bytes have their own buffer, because another thread receives them. */
export interface HttpAsk {
  /** The method in upper case. */
  readonly method: string;
  readonly url: string;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

export type HttpReply =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** The headers, with names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
    }
  /** No complete response arrived. The guest gets an empty response and continues. */
  | { readonly kind: "failed"; readonly message: string }
  /** The grant does not cover the request, or the timeout has passed. The call fails. */
  | { readonly kind: "refused"; readonly failure: Failure };

/** Reads and writes granted files for the guests of a thread. */
export interface CallFiles {
  begin(context: FilesOptions): void;
  read(name: string | Uint8Array): Uint8Array | undefined;
  write(name: string | Uint8Array, bytes: Uint8Array): void;
  readonly writes: Effects["files"];
}

export interface FilesOptions {
  readonly grants: readonly PathGrant[];
  readonly given: GivenWorld | undefined;
  /** Ends the call with a failure. */
  readonly refuse: (failure: Failure) => never;
}

/** The parts of the current call that a capability may use. */
export interface CallContext {
  readonly setup: GuestSetup;
  readonly task: GuestTask;
  /** The input as the guest reads it. */
  readonly input: Uint8Array;
  /** Seed of random numbers, unless the rule grants the system's numbers. Default: the input. */
  readonly seed?: Uint8Array;
  /** Sends requests. `undefined` if the call runs in a thread that must not block. */
  readonly ask: AskEngine | undefined;
  /** Reads and writes files. `undefined` if the call runs in a thread that must not block. */
  readonly files: CallFiles | undefined;
}

/** The guest of the current call, whose memory the host writes. */
export interface ServedGuest {
  readonly memory: WebAssembly.Memory | undefined;
  /** Charges fuel for work that depends on a length. Returns `false` if the guest has less fuel. */
  charge(fuel: number): boolean;
  /** Marks memory that the host has written, so that it is restored. Default: the whole memory. */
  touch(address?: number, bytes?: number): void;
}

/**
 * The host functions of one capability and their state for the current call. Created once for a thread. The functions
 * exist for every guard of the thread, so each function checks at every call whether the rule grants the capability.
 */
export interface CapabilityHost {
  readonly functions: Readonly<Record<string, HostCall>>;
  begin(context: CallContext): void;
}
