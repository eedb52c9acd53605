import { basename, dirname } from "node:path";
import { defaultCacheFolder } from "../cache/cache-folder.ts";
import type { Manifest } from "../executors/wasm/admission/manifest.ts";
import { ruleForModule } from "../executors/wasm/modules/module-rule.ts";
import { WasmExecutor } from "../executors/wasm/wasm-executor.ts";
import { THREADS_WAIT_MS } from "./guard-trial.ts";
import { grantsForTrial } from "./trial-grants.ts";

/**
 * Leaves a module in the user's cache, examined and with its fixtures passed, as a rule wants it that gives it the usual
 * limits and what its manifest wants. Otherwise the first event would have to wait for that, within its deadline. A rule with other limits still
 * does the part that depends on them. Never rejects: what is not in the cache is done then.
 *
 * @param file absolute
 * @param sha256 of the module; another one in its place is not looked at
 * @returns whether a thread will not end, and with it the process
 */
export async function makeReady(
  file: string,
  sha256: string,
  manifest: Manifest,
): Promise<{ readonly stuck: boolean }> {
  let hung = 0;
  const executor = new WasmExecutor({
    threads: 1,
    cacheDir: defaultCacheFolder(),
    onHungThreads: (count) => {
      hung = count;
    },
  });
  try {
    const rule = ruleForModule(basename(file), { sha256, grants: grantsForTrial(manifest) });
    await executor.prepare({ ...rule, baseDir: dirname(file) });
  } catch {
    // The guard is built all the same.
  } finally {
    await executor.close(THREADS_WAIT_MS);
  }
  return { stuck: hung > 0 };
}
