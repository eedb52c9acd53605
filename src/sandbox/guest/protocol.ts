import type { Grants } from "../../grants.ts";
import type { Failure } from "../../outcome.ts";
import type { StateValues } from "../../state/state-store.ts";
import type { StateExports } from "../admission/rewrite.ts";
import type { BlockLimits } from "./guest-blocks.ts";
import type { LogLimits } from "./guest-log.ts";
import type { MemoryImage } from "./memory-image.ts";

/** Messages between threads. They contain only plain data, because `structuredClone` drops custom fields of errors. */

/** Message from host to worker, for each call. Kept small, because copying takes longer than a typical call. */
export interface GuestTask {
  /** Identifies the setup in this process. */
  readonly setupKey: number;
  /** The setup. Sent only after the worker has answered `needs-setup`. */
  readonly setup: GuestSetup | undefined;
  /** The input. Bytes only in tests of guests with input that is not JSON. */
  readonly input: string | Uint8Array;
  readonly fuel: number;
  /** The guard's variables of this session, if the rule grants `state`. */
  readonly state?: StateValues;
  /** The world of a fixture, which replaces everything that the rule's grants would give. */
  readonly given?: GivenWorld;
}

/** The surroundings that a guard sees during a fixture. Anything else does not exist for the guard. */
export interface GivenWorld {
  /** The time in milliseconds since 1970. Default: the time of the fixed clock. */
  readonly nowMs?: number;
  /** Contents of files by the path that the guard uses. */
  readonly files?: Readonly<Record<string, string>>;
  /** Responses of the network, by method (default: GET) and URL. */
  readonly http?: readonly GivenAnswer[];
}

export interface GivenAnswer {
  readonly method?: string;
  readonly url: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The rule's grants, as needed in the guest's thread. */
type GuestGrants = Grants;

/** Changes that a call makes to state and files. The engine applies them after the guard has answered in time. */
export interface Effects {
  /** The changed variables. `null` removes the variable. */
  readonly state?: readonly (readonly [key: string, value: Uint8Array | null])[];
  /** Files to write, by their path on this machine. In a fixture's world, by the guard's name for the file. */
  readonly files?: readonly { readonly path: string; readonly bytes: Uint8Array }[];
}

export interface HostLimits extends BlockLimits, LogLimits {
  readonly outputBytes: number;
}

/** The parts of a call that all calls of a rule share. */
export interface GuestSetup {
  /** Identifies an admitted module and the limits that were written into it. */
  readonly moduleKey: string;
  readonly module: GuestModule;
  readonly function: string;
  readonly config: Readonly<Record<string, string>>;
  readonly limits: HostLimits;
  readonly depth: number;
  /**
   * Fuel for `_initialize`. Default: 100,000,000. `_initialize` runs once for an instance and does not count towards a
   * call, so that the fuel of a call does not depend on earlier calls.
   */
  readonly initializeFuel?: number;
  /** Memory limit. A guest whose linear memory has this size has reached its limit. */
  readonly memoryBytes: number;
  /** The grants. Default: no grants. */
  readonly grants?: GuestGrants;
}

/** A module as it is sent to the thread or process that runs its guests. */
export type GuestModule = CompiledModule | UncompiledModule;

interface AnyModule {
  readonly state: StateExports;
  /** Size of the code section, which V8 compiles. */
  readonly codeBytes: number;
  /** Whether V8 may optimise the code. */
  readonly isLight: boolean;
}

/** A module for threads, which share the compiled code. */
export interface CompiledModule extends AnyModule {
  readonly compiled: WebAssembly.Module;
  /** The memory of a guard. Set if `compiled` is the engine that many guards share. */
  readonly image?: MemoryImage;
}

/** A module for sandbox processes, which compile it. The engine's own process compiles none. */
export interface UncompiledModule extends AnyModule {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface GuestUsage {
  readonly outputBytes: number;
  readonly memoryBytes: number;
  readonly fuel: number;
  /** When the worker finished, in milliseconds since 1970, because a busy host may read the answer later. */
  readonly doneAtMs: number;
  readonly log?: readonly string[];
}

/** Message from worker to host. */
export type GuestAnswer =
  | { readonly kind: "needs-setup" }
  /** `text` is strict JSON whose value is an object. */
  | { readonly kind: "answered"; readonly text: string; readonly usage: GuestUsage; readonly effects?: Effects }
  | { readonly kind: "failed"; readonly failure: Failure; readonly usage: GuestUsage };
