import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { eachFixture, type FixtureCaller, type FixtureResult } from "../executors/wasm/fixtures/fixtures.ts";
import { ruleForModule } from "../executors/wasm/module-rule.ts";
import { WasmExecutor } from "../executors/wasm/wasm-executor.ts";
import type { admission } from "../sandbox/index.ts";
import { limitsOf, timeoutOf } from "./limits.ts";
import { grantsForTrial } from "./trial-grants.ts";

/** Runs a guard's own tests as an engine does, and collects their logs. */

export interface TrialResult extends FixtureResult {
  /** Lines that the guard logged during the call. */
  readonly log: readonly string[];
}

/**
 * How long verbs for authors wait for threads to end, in milliseconds. On a busy machine an idle thread may need more
 * than a second, and a process that gives up loses its exit code.
 */
export const THREADS_WAIT_MS = 10_000;

/** The results of a trial. `stuck`: a thread does not end, so the process must be ended by force. */
export interface Trial {
  readonly results: readonly TrialResult[];
  readonly stuck: boolean;
}

/**
 * Runs the fixtures of a module on disk that has this SHA-256, with the limits and grants that its manifest asks for.
 */
export async function tryModule(file: string, manifest: admission.Manifest, sha256: string): Promise<Trial> {
  let hung = 0;
  const executor = new WasmExecutor({
    threads: 1,
    // Preparing skips the fixtures, because this function runs them one by one.
    fixtures: "skip",
    onHungThreads: (count) => {
      hung = count;
    },
  });
  const logs: (readonly string[])[] = [];
  const caller: FixtureCaller = {
    run: async (rule, event, options) => {
      const result = await executor.run(rule, event, options);
      logs.push(result.receipt.log ?? []);
      return result;
    },
  };
  const timeoutMs = timeoutOf(manifest);
  const limits = limitsOf(manifest);
  const options = {
    sha256,
    limits,
    grants: grantsForTrial(manifest),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  // Messages name the module as its rule does, so the rule has only the file's name without a temporary folder.
  const rule = { ...ruleForModule(basename(file), options), baseDir: dirname(file) };
  const results: TrialResult[] = [];
  try {
    for await (const result of eachFixture(caller, rule, manifest.fixtures ?? [])) {
      results.push({ ...result, log: logs.splice(0).flat() });
    }
  } finally {
    await executor.close(THREADS_WAIT_MS);
  }
  return { results, stuck: hung > 0 };
}

/** Like {@link tryModule}, for a module that is not on disk yet. */
export async function tryBytes(wasm: Uint8Array, manifest: admission.Manifest): Promise<Trial> {
  const folder = await mkdtemp(join(tmpdir(), "hookbox-guard-"));
  try {
    const file = join(folder, "guard.wasm");
    await writeFile(file, wasm);
    return await tryModule(file, manifest, createHash("sha256").update(wasm).digest("hex"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
