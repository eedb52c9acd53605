import { WASI_FUNCTIONS } from "./wasi/wasi-abi.ts";

/**
 * Guest ABI 1: the functions that a guard may import, with their exact signatures. Handles, addresses and lengths are
 * i64, but in WASI's. Anything that is not in these tables, or has another signature, does not load.
 */

export const GUEST_ABI_VERSION = 1;
/** Extism's namespace, as every plug-in kit imports it. */
export const HOST_NAMESPACE = "extism:host/env";
/** What Extism has no function for. `http_*` is linked from here, too: see `linkedNamespace`. */
export const OWN_NAMESPACE = "hookbox:host/env";
/**
 * Functions of other namespaces that a guard imports and has not asked for: its language's engine is built once, for
 * all guards. They need no grant, and a call of one fails.
 */
export const ABSENT_NAMESPACE = "hookbox:host/absent";
export const WASI_NAMESPACE = "wasi_snapshot_preview1";
/** Where WASI's functions are linked from: under WASI's own name, Extism takes node:wasi. No guest may import from it. */
export const LINKED_WASI_NAMESPACE = "hookbox:host/wasi";

export type ValueType = "i32" | "i64";

/** What importing a function lets a guest do. `core`, `config` and `log` are there for every guard. */
export type Capability = "core" | "config" | "log" | "state" | "hosts" | "paths" | "clock" | "random" | "wasi";

export const ALWAYS_GRANTED: readonly Capability[] = ["core", "config", "log"];

/** In the order in which they are shown. */
export const GRANTABLE = [
  "hosts",
  "paths",
  "state",
  "clock",
  "random",
  "wasi",
] as const satisfies readonly Capability[];

export interface HostFunction {
  readonly params: readonly ValueType[];
  readonly results: readonly ValueType[];
  readonly capability: Capability;
}

const core = (params: readonly ValueType[], results: readonly ValueType[]): HostFunction => ({
  params,
  results,
  capability: "core",
});
const log: HostFunction = { params: ["i64"], results: [], capability: "log" };

export const HOST_FUNCTIONS = {
  input_length: core([], ["i64"]),
  input_offset: core([], ["i64"]),
  input_load_u8: core(["i64"], ["i32"]),
  input_load_u64: core(["i64"], ["i64"]),
  alloc: core(["i64"], ["i64"]),
  free: core(["i64"], []),
  length: core(["i64"], ["i64"]),
  length_unsafe: core(["i64"], ["i64"]),
  load_u8: core(["i64"], ["i32"]),
  load_u64: core(["i64"], ["i64"]),
  store_u8: core(["i64", "i32"], []),
  store_u64: core(["i64", "i64"], []),
  output_set: core(["i64", "i64"], []),
  error_set: core(["i64"], []),
  error_get: core([], ["i64"]),
  get_log_level: { params: [], results: ["i32"], capability: "log" },
  log_trace: log,
  log_debug: log,
  log_info: log,
  log_warn: log,
  log_error: log,
  config_get: { params: ["i64"], results: ["i64"], capability: "config" },
  var_get: { params: ["i64"], results: ["i64"], capability: "state" },
  var_set: { params: ["i64", "i64"], results: [], capability: "state" },
  http_request: { params: ["i64", "i64"], results: ["i64"], capability: "hosts" },
  http_status_code: { params: [], results: ["i32"], capability: "hosts" },
  http_headers: { params: [], results: ["i64"], capability: "hosts" },
} as const satisfies Record<string, HostFunction>;

export type HostFunctionName = keyof typeof HOST_FUNCTIONS;

export const OWN_FUNCTIONS = {
  /** A path, as the rule's grants name it -> a block with the file's bytes; 0 where there is no such file. */
  file_read: { params: ["i64"], results: ["i64"], capability: "paths" },
  /** A path and a block of bytes. Written once the guard has answered. */
  file_write: { params: ["i64", "i64"], results: [], capability: "paths" },
  /** Milliseconds since 1970. */
  clock_now: { params: [], results: ["i64"], capability: "clock" },
  random_bits: { params: [], results: ["i64"], capability: "random" },
} as const satisfies Record<string, HostFunction>;

export type OwnFunctionName = keyof typeof OWN_FUNCTIONS;

/** What `handle`, or the function that a rule names, must be. */
export const ENTRY_POINT: { readonly params: readonly ValueType[]; readonly results: readonly ValueType[] } = {
  params: [],
  results: ["i32"],
};

/** What `_start` and `_initialize` must be. */
export const START_POINT: typeof ENTRY_POINT = { params: [], results: [] };

/** What an import reaches for. `unknown` is nothing that this host has. */
export type Reach = Capability | "unknown";

export interface ImportName {
  readonly module: string;
  readonly name: string;
}

const TABLES: Readonly<Record<string, Readonly<Record<string, HostFunction>>>> = {
  [HOST_NAMESPACE]: HOST_FUNCTIONS,
  [OWN_NAMESPACE]: OWN_FUNCTIONS,
  [WASI_NAMESPACE]: WASI_FUNCTIONS,
  [ABSENT_NAMESPACE]: absent({ ...HOST_FUNCTIONS, ...OWN_FUNCTIONS }),
};

function absent(functions: Readonly<Record<string, HostFunction>>): Readonly<Record<string, HostFunction>> {
  const needing = Object.entries(functions).filter(([, { capability }]) => !ALWAYS_GRANTED.includes(capability));
  return Object.fromEntries(
    needing.map(([name, { params, results }]) => [name, { params, results, capability: "core" }]),
  );
}

/** What an import stands for; `undefined` for anything that this host does not have. */
export function hostFunction({ module, name }: ImportName): HostFunction | undefined {
  const table = Object.hasOwn(TABLES, module) ? TABLES[module] : undefined;
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}

export function capabilityOf(entry: ImportName): Reach {
  return hostFunction(entry)?.capability ?? (entry.module.startsWith("wasi_") ? "wasi" : "unknown");
}

/**
 * Where a module's import is linked from once it is admitted. Extism puts its own HTTP in place of an override wherever
 * the engine can wait for promises (Node 24 and later), and Node's WASI in place of ours, but only under their own names.
 */
export function linkedNamespace(entry: ImportName): string {
  if (entry.module === WASI_NAMESPACE) return LINKED_WASI_NAMESPACE;
  return entry.module === HOST_NAMESPACE && capabilityOf(entry) === "hosts" ? OWN_NAMESPACE : entry.module;
}
