import type { Failure } from "../../../../outcome.ts";
import type { PathGrant } from "../../../../rule.ts";
import type { GuestBlocks } from "../guest-blocks.ts";
import type { Effects, GivenWorld, GuestSetup, GuestTask } from "../protocol.ts";

/** A host function as Extism calls it: its own context first, of which nothing is used. */
export type HostCall = (context: unknown, ...values: never[]) => unknown;

/** Asks the engine's own side for something, and waits for the answer. */
export type AskEngine = (ask: HttpAsk) => HttpReply;

/** A request that a guest wants to be made. Plain data, whose bytes have a buffer of their own: it goes elsewhere. */
export interface HttpAsk {
  /** In capitals. */
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

export type HttpReply =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
    }
  /** Nobody answered, or not to the end: the guest hears of it and goes on. */
  | { readonly kind: "failed"; readonly message: string }
  /** The grant does not cover it, or the deadline has passed: the call has failed. */
  | { readonly kind: "refused"; readonly failure: Failure };

/** What reads granted files for the guests of a thread. */
export interface CallFiles {
  begin(terms: FilesTerms): void;
  read(name: string | Uint8Array): Uint8Array | undefined;
  write(name: string | Uint8Array, bytes: Uint8Array): void;
  readonly writes: Effects["files"];
}

export interface FilesTerms {
  readonly grants: readonly PathGrant[];
  readonly given: GivenWorld | undefined;
  /** Ends the call for good. */
  readonly refuse: (failure: Failure) => never;
}

/** What a capability may use of the call that runs now. */
export interface CallTerms {
  readonly setup: GuestSetup;
  readonly task: GuestTask;
  /** Encoded as the guest sees it. */
  readonly input: Uint8Array;
  /** What random numbers are made of where they are not the system's. Default: the input. */
  readonly seed?: Uint8Array;
  /** `undefined` where the call is not made in a thread that may wait. */
  readonly ask: AskEngine | undefined;
  /** The same. */
  readonly files: CallFiles | undefined;
}

/**
 * The host functions of one capability, made once for a thread, and what they know of the call that runs now. Whether
 * the rule grants it is asked at every call: the functions are there for every guard of the thread.
 */
export interface CapabilityHost {
  readonly functions: Readonly<Record<string, HostCall>>;
  begin(terms: CallTerms): void;
}

export type CapabilityMaker<Host extends CapabilityHost> = (blocks: GuestBlocks) => Host;
