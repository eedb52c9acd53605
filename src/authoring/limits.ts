import type { Manifest } from "../executors/wasm/manifest.ts";
import { DEFAULT_WASM_LIMITS } from "../executors/wasm/module-rule.ts";
import type { WasmLimits } from "../rule.ts";

const MIB = 1_048_576;

/** The limits that a guard is tried with: what its manifest suggests, and a rule's usual ones where it says nothing. */
export function limitsOf({ limits = {} }: Pick<Manifest, "limits">): WasmLimits {
  const { memoryMiB, timeoutMs: _, ...own } = limits;
  return {
    ...DEFAULT_WASM_LIMITS,
    ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)),
    ...(memoryMiB === undefined ? {} : { memoryBytes: memoryMiB * MIB }),
  };
}
