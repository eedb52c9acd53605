import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8's optimising compiler away from modules that could hurt this process through it: it runs in the background,
 * nothing ends it, and for code that is made for it it takes gigabytes or aborts the process, long after the verdict.
 */
const TIERING = ["wasm-dynamic-tiering", "wasm-tier-up"] as const;

let isOffForGood = false;

/** For a process that serves one event: no module is optimised from here on, and functions are compiled when called. */
export function switchOptimiserOff(): void {
  for (const name of TIERING) setFlagsFromString(`--no-${name}`);
  isOffForGood = true;
}

/** `isLight`: V8 may optimise the module. Rejects with what V8 throws for a module that is not valid. */
export async function compileModule(
  bytes: Uint8Array<ArrayBuffer>,
  { isLight }: { readonly isLight: boolean },
): Promise<WebAssembly.Module> {
  // Under these flags a promise of V8's may stay pending on Node 24 and 26.
  if (isOffForGood) return new WebAssembly.Module(bytes);
  if (isLight) return WebAssembly.compile(bytes);
  const { compileUnoptimised } = await import("./compile-unoptimised.ts");
  return compileUnoptimised(bytes);
}
