import type { FixtureLimits } from "./claims.ts";
import { runFixtures } from "./fixtures.ts";
import { inspectModule } from "./inspection.ts";
import { DEFAULT_WASM_LIMITS, ruleForModule } from "./module-rule.ts";
import { readModule } from "./module-source.ts";
import { WasmExecutor } from "./wasm-executor.ts";

/**
 * For the build of the guards that ship: the usual limits, under which all fixtures of the module at `path` have just
 * passed. Throws with what failed.
 */
export async function limitsPassedUnder(path: string): Promise<FixtureLimits> {
  const { memoryBytes, ...limits } = DEFAULT_WASM_LIMITS;
  const file = await readModule(path, "/");
  if ("refused" in file) throw new Error(`${path} ${file.refused.message}`);
  const { manifest } = await inspectModule(file.bytes, { sha256: undefined, function: "handle", memoryBytes });
  const executor = new WasmExecutor({ threads: 1, fixtures: "skip" });
  try {
    const results = await runFixtures(executor, ruleForModule(path), manifest?.fixtures ?? []);
    const failed = results.filter(({ passed }) => !passed);
    if (failed.length === 0) return limits;
    const list = failed.map(({ name, message }) => `  ${name}: ${message}`);
    throw new Error(`${path} fails ${failed.length} of its own ${results.length} fixtures\n${list.join("\n")}`);
  } finally {
    await executor.close();
  }
}
