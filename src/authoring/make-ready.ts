import { basename, dirname } from "node:path";
import { defaultCacheFolder } from "../cache/cache-folder.ts";
import { ruleForModule } from "../executors/wasm/module-rule.ts";
import { WasmExecutor } from "../executors/wasm/wasm-executor.ts";
import type { admission } from "../sandbox/index.ts";
import { THREADS_WAIT_MS } from "./guard-trial.ts";
import { grantsForTrial } from "./trial-grants.ts";

/**
 * Admits a module, runs its fixtures and stores both results in the user's cache, for rules with the default limits and
 * the grants that the manifest wants. Otherwise the first event would have to wait for this work within its timeout.
 * For rules with other limits, the work that depends on limits is repeated. Never rejects, because the first event does
 * the missing work.
 * @param file the absolute path of the module
 * @param sha256 the digest of the module; a file with another digest is ignored
 * @returns `stuck`: a thread does not end, so the process must be ended by force
 */
export async function makeReady(
  file: string,
  sha256: string,
  manifest: admission.Manifest,
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
    // An error is ignored, because the guard was built and the cache is only an optimisation.
  } finally {
    await executor.close(THREADS_WAIT_MS);
  }
  return { stuck: hung > 0 };
}
