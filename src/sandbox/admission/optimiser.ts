import { setFlagsFromString } from "node:v8";

/**
 * V8 flags for the optimising compiler, which crafted modules could attack. The compiler runs in the background and
 * cannot be interrupted. For crafted code it takes gigabytes or aborts the process, long after the verdict.
 */
const TIERING = ["wasm-dynamic-tiering", "wasm-tier-up"] as const;

let isOffForGood = false;

/**
 * Switches optimisation off for this process, which serves one event. Functions are still compiled at their first call.
 */
export function switchOptimiserOff(): void {
  for (const name of TIERING) setFlagsFromString(`--no-${name}`);
  isOffForGood = true;
}

/** Compiles a module. With `isLight`, V8 may optimise the module. Rejects with V8's error for an invalid module. */
export async function compileModule(
  bytes: Uint8Array<ArrayBuffer>,
  { isLight }: { readonly isLight: boolean },
): Promise<WebAssembly.Module> {
  // Compilation is synchronous, because V8's promise may stay pending under these flags on Node 24 and 26.
  if (isOffForGood) return new WebAssembly.Module(bytes);
  if (isLight) return WebAssembly.compile(bytes);
  const { compileUnoptimised } = await import("./compile-unoptimised.ts");
  return compileUnoptimised(bytes);
}
