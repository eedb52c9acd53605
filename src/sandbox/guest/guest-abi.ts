import { ALWAYS_GRANTED, type Capability } from "../grants/grants.ts";
import type { HostFunction, ValueType } from "./host-functions.ts";
import { WASI_FUNCTIONS } from "./wasi/wasi-abi.ts";

/**
 * Guest ABI 1: the functions that a guard may import, with their exact signatures. Handles, addresses and lengths are
 * i64, except in WASI functions. A module that imports other functions, or with other signatures, does not load.
 */

export const GUEST_ABI_VERSION = 1;
/** The custom section in which a guard describes itself. */
export const MANIFEST_SECTION = "hookbox:manifest";
/** Extism's namespace, from which every plug-in kit imports. */
export const HOST_NAMESPACE = "extism:host/env";
/** The namespace of functions that Extism does not have. `http_*` is linked from here too; see `linkedNamespace`. */
export const OWN_NAMESPACE = "hookbox:host/env";
/**
 * The namespace of functions that a guard imports but did not ask for, because its language's engine is built once for
 * all guards and imports all functions. These functions need no grant, and a call of one fails.
 */
export const ABSENT_NAMESPACE = "hookbox:host/absent";
export const WASI_NAMESPACE = "wasi_snapshot_preview1";
/**
 * Namespace from which WASI functions are linked, because Extism links `node:wasi` under WASI's own name. Guests may
 * not import from this namespace themselves.
 */
export const LINKED_WASI_NAMESPACE = "hookbox:host/wasi";

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
  /** Copies the whole input to an address of the guest's memory. Costs fuel by the input's length. */
  input_read: core(["i64"], []),
  /**
   * Takes a path as named by the rule's grants. Returns a block with the file's bytes, or 0 if the file does not exist.
   */
  file_read: { params: ["i64"], results: ["i64"], capability: "paths" },
  /** Takes a path and a block of bytes. The engine writes the file after the guard has answered. */
  file_write: { params: ["i64", "i64"], results: [], capability: "paths" },
  /** Returns milliseconds since 1970. */
  clock_now: { params: [], results: ["i64"], capability: "clock" },
  random_bits: { params: [], results: ["i64"], capability: "random" },
} as const satisfies Record<string, HostFunction>;

export type OwnFunctionName = keyof typeof OWN_FUNCTIONS;

/** Required type of `handle`, or of the function that a rule names. */
export const ENTRY_POINT: { readonly params: readonly ValueType[]; readonly results: readonly ValueType[] } = {
  params: [],
  results: ["i32"],
};

/** Required type of `_start` and `_initialize`. */
export const START_POINT: typeof ENTRY_POINT = { params: [], results: [] };

/** The capability that an import uses. `unknown`: this host has no such function. */
export type Reach = Capability | "unknown";

export interface ImportName {
  readonly module: string;
  readonly name: string;
}

/** Returns an import as `MODULE NAME`. */
export function importName({ module, name }: ImportName): string {
  return `${module} ${name}`;
}

/** Splits `MODULE NAME` at the first blank. Host namespaces and host functions have no blank in their names. */
export function splitName(entry: string): ImportName {
  const blank = entry.indexOf(" ");
  return { module: entry.slice(0, blank), name: entry.slice(blank + 1) };
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

/** Returns the host function that an import names. Returns `undefined` if this host does not have it. */
export function hostFunction({ module, name }: ImportName): HostFunction | undefined {
  const table = Object.hasOwn(TABLES, module) ? TABLES[module] : undefined;
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}

export function capabilityOf(entry: ImportName): Reach {
  return hostFunction(entry)?.capability ?? (entry.module.startsWith("wasi_") ? "wasi" : "unknown");
}

/**
 * Returns the namespace from which an admitted module's import is linked. If the engine can wait for promises (Node 24
 * and later), Extism replaces `http_*` overrides with its own functions, and WASI with Node's. It does both only under
 * the original namespaces.
 */
export function linkedNamespace(entry: ImportName): string {
  if (entry.module === WASI_NAMESPACE) return LINKED_WASI_NAMESPACE;
  return entry.module === HOST_NAMESPACE && capabilityOf(entry) === "hosts" ? OWN_NAMESPACE : entry.module;
}

/**
 * Names of exports that toolchains use for start code. A linker runs these exports automatically, outside of a call and
 * its limits. Therefore admitted modules export them under other names. A module's start function has no name and
 * cannot be renamed.
 */
export const START_EXPORTS: readonly string[] = ["_start", "_initialize", "hs_init"];

/** Entry function of a WASI command. Runs once for each call, reads the event from stdin and prints the answer. */
export const COMMAND = "_start";

/** Start function of modules that serve many calls, as built by WASI toolchains. */
export const INITIALIZE = "_initialize";

/** Returns the name of an export in an admitted module. */
export function exportedName(name: string): string {
  return START_EXPORTS.includes(name) ? `hookbox:${name}` : name;
}

/** WASI functions that give access to the subject of another grant. */
export const THROUGH_WASI: readonly (readonly [Capability, RegExp])[] = [
  ["paths", /^path_|^fd_prestat_/],
  ["clock", /^clock_/],
  ["random", /^random_/],
];

/** Returns the grantable capabilities that a module's imports use. Imports of WASI may use several. */
export function capabilitiesUsed(imports: readonly string[], startExports: readonly string[]): ReadonlySet<Capability> {
  const used = new Set<Capability>(startExports.length > 0 ? ["wasi"] : []);
  for (const entry of imports.map(splitName)) {
    const capability = capabilityOf(entry);
    if (capability !== "unknown") used.add(capability);
    if (capability === "wasi") for (const [one, ways] of THROUGH_WASI) if (ways.test(entry.name)) used.add(one);
  }
  for (const one of ALWAYS_GRANTED) used.delete(one);
  return used;
}
