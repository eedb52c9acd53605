/**
 * Guest ABI 1: the functions of `extism:host/env` that a guard may import, with their exact signatures. Handles,
 * addresses and lengths are i64. Anything that is not in this table, or has another signature, does not load.
 */

export const GUEST_ABI_VERSION = 1;
export const HOST_NAMESPACE = "extism:host/env";

export type ValueType = "i32" | "i64";

/** What importing a function lets a guest do. `core`, `config` and `log` are there for every guard. */
export type Capability = "core" | "config" | "log" | "state" | "hosts";

export const ALWAYS_GRANTED: readonly Capability[] = ["core", "config", "log"];

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

/** What `handle`, or the function that a rule names, must be. */
export const ENTRY_POINT: { readonly params: readonly ValueType[]; readonly results: readonly ValueType[] } = {
  params: [],
  results: ["i32"],
};

/** What an import reaches for. `unknown` is nothing that this host has. */
export type Reach = Capability | "wasi" | "unknown";

export function capabilityOf({ module, name }: { readonly module: string; readonly name: string }): Reach {
  if (module.startsWith("wasi_")) return "wasi";
  if (module !== HOST_NAMESPACE || !Object.hasOwn(HOST_FUNCTIONS, name)) return "unknown";
  return HOST_FUNCTIONS[name as HostFunctionName].capability;
}
