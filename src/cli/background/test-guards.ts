import { setPriority } from "node:os";
import { defaultCacheFolder } from "../../cache/cache-folder.ts";
import { ruleForModule } from "../../executors/wasm/modules/module-rule.ts";
import { WasmExecutor } from "../../executors/wasm/wasm-executor.ts";
import { ownClaim } from "../../processes/claims.ts";
import type { Console } from "../verb.ts";
import { type JobRule, longestTestsMs } from "./job.ts";

/** The agent's own work comes first. */
const LOW_PRIORITY = 10;

/** Runs the fixtures of guards that have judged an event untested. The records that it leaves decide about the next. */
export async function testGuards(rules: readonly JobRule[], console: Console): Promise<void> {
  // A test that outlives its time would be one more process that nobody looks after.
  setTimeout(() => process.kill(process.pid, "SIGKILL"), longestTestsMs(rules.length)).unref();
  try {
    setPriority(LOW_PRIORITY);
  } catch {
    // Some sandboxes forbid it.
  }
  const cacheDir = defaultCacheFolder();
  let hungThreads = 0;
  const executor = new WasmExecutor({
    threads: 1,
    cacheDir,
    onHungThreads: (count) => {
      hungThreads = count;
    },
  });
  const work = (async (): Promise<void> => {
    for (const { name, handler, baseDir, timeoutMs, claim: work } of rules) {
      await executor.test({ ...ruleForModule(name), name, handler, baseDir, timeoutMs });
      // Still there if another process has left the result in the meantime.
      await (await ownClaim(cacheDir, work))?.end();
    }
  })();
  await Promise.race([work, console.untilInterrupted()]);
  await executor.close();
  if (hungThreads > 0) console.endForGood("threads");
}
