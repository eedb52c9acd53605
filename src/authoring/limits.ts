import { DEFAULT_WASM_LIMITS } from "../executors/wasm/module-rule.ts";
import type { WasmLimits } from "../grants.ts";
import type { admission } from "../sandbox/index.ts";

const MIB = 1_048_576;

/** The highest limits that a manifest may ask for in a trial, because manifests are untrusted. */
const MOST = { fuel: 2_000_000_000, fuelPerInputByte: 10_000, depth: 262_144, outputBytes: 1_048_576, memoryMiB: 256 };

/** Returns the limits for a trial: those of the manifest, otherwise the defaults of a rule. */
export function limitsOf({ limits = {} }: Pick<admission.Manifest, "limits">): WasmLimits {
  const { memoryMiB, timeoutMs: _, ...own } = limits;
  const wanted = Object.entries(own).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Math.min(value, MOST[name as keyof typeof MOST])]],
  );
  return {
    ...DEFAULT_WASM_LIMITS,
    ...Object.fromEntries(wanted),
    ...(memoryMiB === undefined ? {} : { memoryBytes: Math.min(memoryMiB, MOST.memoryMiB) * MIB }),
  };
}

const MOST_MS = 30_000;

/** Returns the timeout for a trial in milliseconds. `undefined`: the default. */
export function timeoutOf({ limits = {} }: Pick<admission.Manifest, "limits">): number | undefined {
  return limits.timeoutMs === undefined ? undefined : Math.min(limits.timeoutMs, MOST_MS);
}
