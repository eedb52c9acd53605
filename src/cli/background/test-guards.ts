import { setPriority } from "node:os";
import { defaultCacheFolder } from "../../cache/cache-folder.ts";
import { ruleForModule } from "../../executors/wasm/module-rule.ts";
import { WasmExecutor } from "../../executors/wasm/wasm-executor.ts";
import { ownClaim } from "../../processes/work-claims.ts";
import type { Console } from "../verb.ts";
import { type JobRule, longestTestsMs } from "./job.ts";

/** A low priority for the process, so that the agent's own work comes first. */
const LOW_PRIORITY = 10;

/** Runs the fixtures of guards that have already judged an event. The recorded results decide about later events. */
export async function testGuards(rules: readonly JobRule[], console: Console): Promise<void> {
  // A test without an end would otherwise keep this process alive forever.
  setTimeout(() => process.kill(process.pid, "SIGKILL"), longestTestsMs(rules.length)).unref();
  try {
    setPriority(LOW_PRIORITY);
  } catch {
    // Some sandboxes forbid changing the priority.
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
    for (const { name, handler, baseDir, approved, timeoutMs, claim: work } of rules) {
      await executor.test({
        ...ruleForModule(name),
        ...{ name, handler, baseDir, timeoutMs },
        ...(approved === undefined ? {} : { approved }),
      });
      // The claim is ended here, because `executor.test` leaves the claim if another process had stored the result.
      await (await ownClaim(cacheDir, work))?.end();
    }
  })();
  await Promise.race([work, console.untilInterrupted()]);
  await executor.close();
  if (hungThreads > 0) console.endForGood("threads");
}
