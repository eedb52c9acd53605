import type { Failure } from "../../../outcome.ts";
import type { StateExports } from "../admission/rewrite.ts";
import type { HostLimits } from "./host.ts";

/** What crosses the thread boundary. Plain data only: `structuredClone` drops what makes an error an error. */

/** host -> worker, for each call. What is copied from thread to thread costs a call more than what it does. */
export interface GuestTask {
  /** Identifies the setup in this process. */
  readonly setupKey: number;
  /** Sent when the worker has said that it lacks the setup. */
  readonly setup: GuestSetup | undefined;
  /** Bytes only where somebody tests what a guest makes of input that is no JSON. */
  readonly input: string | Uint8Array;
  readonly fuel: number;
}

/** What all calls of a rule have in common. */
export interface GuestSetup {
  /** Identifies an admitted module together with the limits that were written into it. */
  readonly moduleKey: string;
  /** Threads share the compiled code. */
  readonly module: GuestModule;
  readonly function: string;
  readonly config: Readonly<Record<string, string>>;
  readonly limits: HostLimits;
  readonly depth: number;
  /** Linear memory of this size means that the guest grew into its limit. */
  readonly memoryBytes: number;
}

export interface GuestModule {
  readonly compiled: WebAssembly.Module;
  readonly state: StateExports;
  /** How long the code is that V8 compiles, without the module's data and other sections. */
  readonly codeBytes: number;
}

export interface GuestUsage {
  readonly outputBytes: number;
  readonly memoryBytes: number;
  readonly fuel: number;
  /** When the worker was done, in milliseconds since the epoch: the host may be too busy to hear of it at once. */
  readonly doneAtMs: number;
  readonly log?: readonly string[];
}

/** worker -> host */
export type GuestAnswer =
  | { readonly kind: "needs-setup" }
  /** `text` is strict JSON, and an object. */
  | { readonly kind: "answered"; readonly text: string; readonly usage: GuestUsage }
  | { readonly kind: "failed"; readonly failure: Failure; readonly usage: GuestUsage };
