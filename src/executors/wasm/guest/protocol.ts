import type { Failure } from "../../../outcome.ts";
import type { Grants } from "../../../rule.ts";
import type { StateExports } from "../admission/rewrite.ts";
import type { HostLimits } from "./host.ts";
import type { MemoryImage } from "./memory-image.ts";

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
  /** What the guard has kept in this session, where its rule grants `state`. */
  readonly state?: StateValues;
  /** The world of a fixture: the guest has this in place of everything that its grants would give it. */
  readonly given?: GivenWorld;
}

/** Texts are for people; a value may be any bytes. */
export type StateValues = ReadonlyMap<string, Uint8Array>;

/** What a guard is shown of the world while it is being tested. Whatever is not in it is not there. */
export interface GivenWorld {
  /** Milliseconds since 1970. Default: the fixed clock's. */
  readonly nowMs?: number;
  /** Contents by the path that the guard names. */
  readonly files?: Readonly<Record<string, string>>;
  /** Answers of the network, by method (default GET) and URL. */
  readonly http?: readonly GivenAnswer[];
}

export interface GivenAnswer {
  readonly method?: string;
  readonly url: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What a rule grants its guard, as the guest's thread has to know it. */
export type GuestGrants = Grants;

/** What a call wants to change in the world. Done by the engine's side, once the guard has answered in time. */
export interface Effects {
  /** `null` removes. */
  readonly state?: readonly (readonly [key: string, value: Uint8Array | null])[];
  /** By the path on this machine; in a world that was given, by the name that the guard has for it. */
  readonly files?: readonly { readonly path: string; readonly bytes: Uint8Array }[];
}

/** What all calls of a rule have in common. */
export interface GuestSetup {
  /** Identifies an admitted module together with the limits that were written into it. */
  readonly moduleKey: string;
  readonly module: GuestModule;
  readonly function: string;
  readonly config: Readonly<Record<string, string>>;
  readonly limits: HostLimits;
  readonly depth: number;
  /**
   * What `_initialize` may use. It is run once for an instance and is no part of a call, so that what a call costs does
   * not hang on whether another one came before. Default: 100,000,000.
   */
  readonly initializeFuel?: number;
  /** Linear memory of this size means that the guest grew into its limit. */
  readonly memoryBytes: number;
  /** Default: nothing. */
  readonly grants?: GuestGrants;
}

/** As it is sent to where guests run. */
export type GuestModule = CompiledModule | UncompiledModule;

interface AnyModule {
  readonly state: StateExports;
  /** How long the code is that V8 compiles, without the module's data and other sections. */
  readonly codeBytes: number;
  /** Whether V8 may optimise the code. */
  readonly isLight: boolean;
}

/** For threads, which share the compiled code. */
export interface CompiledModule extends AnyModule {
  readonly compiled: WebAssembly.Module;
  /** Set where `compiled` is the engine that many guards share; each instance starts with this guard's memory. */
  readonly image?: MemoryImage;
}

/** For processes of their own, which each compile what they run: the engine's own process then compiles nothing. */
export interface UncompiledModule extends AnyModule {
  readonly bytes: Uint8Array<ArrayBuffer>;
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
  | { readonly kind: "answered"; readonly text: string; readonly usage: GuestUsage; readonly effects?: Effects }
  | { readonly kind: "failed"; readonly failure: Failure; readonly usage: GuestUsage };
