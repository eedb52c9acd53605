import type { JsonObject } from "../../event.ts";
import type { Failure } from "../../outcome.ts";
import type { HostLimits } from "./host.ts";
import type { StateExports } from "./rewrite.ts";

/** What crosses the thread boundary. Plain data only: `structuredClone` drops what makes an error an error. */

/** host -> worker */
export interface GuestTask {
  /** Identifies an admitted module together with the limits that were written into it. */
  readonly moduleKey: string;
  /** Sent when the worker has said that it lacks the module. Threads share the compiled code. */
  readonly module: GuestModule | undefined;
  readonly function: string;
  readonly input: string;
  readonly config: Readonly<Record<string, string>>;
  readonly limits: HostLimits;
  readonly fuel: number;
  readonly depth: number;
  /** Linear memory of this size means that the guest grew into its limit. */
  readonly memoryBytes: number;
}

export interface GuestModule {
  readonly compiled: WebAssembly.Module;
  readonly state: StateExports;
  /** How long the compiled bytes were. */
  readonly bytes: number;
}

export interface GuestUsage {
  readonly outputBytes: number;
  readonly memoryBytes: number;
  readonly fuel: number;
  /** When the worker was done, in milliseconds since the epoch: the host may be too busy to hear of it at once. */
  readonly doneAtMs: number;
  readonly log: readonly string[];
}

/** worker -> host */
export type GuestAnswer =
  | { readonly kind: "needs-module" }
  | { readonly kind: "answered"; readonly value: JsonObject; readonly usage: GuestUsage }
  | { readonly kind: "failed"; readonly failure: Failure; readonly usage: GuestUsage };
