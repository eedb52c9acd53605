/** What a rule lets a guard use: capabilities, the lock on its module, and limits. */

export interface WasmLimits {
  /** The maximum size of the guest's linear memory. */
  readonly memoryBytes: number;
  /** The fuel of a call, in units of the cost model. `fuelPerInputByte` is added for longer events. */
  readonly fuel: number;
  readonly fuelPerInputByte: number;
  /** The stack for nested calls, in 8-byte slots of the cost model. */
  readonly depth: number;
  /** The maximum length of an answer. */
  readonly outputBytes: number;
}

/** The capabilities that a rule gives a guard. Every guard can read the event and its `config`, answer and log. */
export interface Grants {
  readonly hosts?: HostsGrant;
  readonly paths?: readonly PathGrant[];
  readonly state?: StateGrant;
  /** `fixed`: every call sees the same time. `real`: the system's time. */
  readonly clock?: "fixed" | "real";
  /** `seeded`: the same event gets the same numbers. `real`: the system's random numbers. */
  readonly random?: "seeded" | "real";
  /** The system interface of WASI toolchains: streams, arguments, and the capabilities of the other grants. */
  readonly wasi?: boolean;
}

/** The hosts that a guard may send requests to. */
export interface HostsGrant {
  /** `https://NAME`, `https://NAME:PORT`, or with `http:`. A NAME that begins with `*.` matches all names below. */
  readonly allow: readonly string[];
  readonly network: Network;
  /** The maximum number of requests in one call, redirects included. */
  readonly maxCalls: number;
  /** The maximum length of all responses in one call together, in bytes. */
  readonly responseBytes: number;
}

/** A granted file, or a granted folder with all its content. */
export interface PathGrant {
  /** The name that the guard uses. */
  readonly name: string;
  /** The absolute path. */
  readonly path: string;
  /** The path as written in the configuration, relative to the configuration's folder, so the same on every machine. */
  readonly written?: string;
  readonly access: "read" | "write";
  /**
   * The folder that must contain `path` when the path is opened, absolute and without links. Set if the configuration
   * may come with a repository, because its links could be changed after it was read.
   */
  readonly within?: string;
  /** For writing: the location of `path`, without links, when its rule was read. Other locations are not written. */
  readonly location?: string;
  /** For writing: the configuration's folder and file, which must not be inside of the granted place. */
  readonly apart?: readonly string[];
}

/** The limits of a rule's variables in one session. */
export interface StateGrant {
  readonly maxKeys: number;
  /** The maximum length of all keys and values together. */
  readonly maxBytes: number;
}

/** The part of a lock file's entry that a module must match. */
export interface LockedModule {
  /** The digest as 64 lower-case hexadecimal digits. */
  readonly sha256: string;
  /** The module's imports, each as `MODULE NAME`. */
  readonly imports: readonly string[];
  /** The grants of all rules of the module, one per line. Default: none. */
  readonly grants?: readonly string[];
}

/** `missing`: the lock file does not contain this module. `unreadable`: the lock file cannot be used. */
export type WasmLock = LockedModule | "missing" | "unreadable";

/**
 * The addresses that a rule may send to. `public`: only the internet. `loopback`: also this machine. `private`: every
 * address except those of cloud metadata.
 */
export type Network = "public" | "loopback" | "private";
