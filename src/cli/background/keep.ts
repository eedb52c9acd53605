import { createEngine } from "../../engine.ts";
import { UNPAID_MS } from "../../executors/run-clock.ts";
import { killLivingGroups } from "../../processes/living-groups.ts";
import { defaultStateFolder } from "../../state/state-folder.ts";
import { EXIT } from "../exit-codes.ts";
import type { Console, Verb } from "../verb.ts";
import { type Job, readJob } from "./job.ts";

/** Keeps the hooks that outlive `run`, each under its own deadline. Prints nothing: nobody listens. */
export const keep: Verb = {
  summary: "keep hooks that outlive an answer (run starts this by itself)",
  usage: "Usage: hookbox keep < JOB\n\nExit codes: 0 the hooks have ended   2 there is no job on standard input",
  run: keepVerb,
};

/** To read the configuration again; it has just been read. */
const START_MS = 10_000;
/** Beyond the last deadline: to end processes and threads. */
const END_MS = 1_000;

async function keepVerb(_args: readonly string[], console: Console): Promise<number> {
  const job = readJob();
  if (job.kind === "async") await runAsyncRules(job, console);
  else if (job.kind === "fixtures") {
    const { testGuards } = await import("./test-guards.ts");
    await testGuards(job.rules, console);
  } else {
    const { watchDetached } = await import("./watch-detached.ts");
    await watchDetached(job, console.untilInterrupted());
  }
  // Of whoever ends in another way it is seen that he is dead.
  (await import("./slots.ts")).leaveSlots();
  return EXIT.done;
}

async function runAsyncRules(job: Extract<Job, { kind: "async" }>, console: Console): Promise<void> {
  // A keeper that outlives what it keeps would be one more process that nobody looks after.
  const endAfter = (ms: number): NodeJS.Timeout =>
    setTimeout(() => {
      killLivingGroups();
      process.kill(process.pid, "SIGKILL");
    }, ms).unref();
  const untilStarted = endAfter(START_MS);
  const { files, cwd, dialect, eventName, payload, layers } = job;
  let hungThreads = 0;
  const engine = await createEngine({
    configFiles: files,
    cwd,
    dialect,
    prepare: "on-demand",
    stateFolder: defaultStateFolder,
    sandbox: { threads: 1 },
    onHungThreads: (count) => {
      hungThreads = count;
    },
  });
  const deadlines = engine.asyncRulesFor(eventName, payload, layers).map(({ timeoutMs }) => timeoutMs);
  clearTimeout(untilStarted);
  endAfter(Math.max(0, ...deadlines) + UNPAID_MS + END_MS);
  // Heard from before the first hook starts: a signal that ended this process at once would leave the hook to nobody.
  const interrupted = console.untilInterrupted();
  await Promise.race([engine.dispatch(eventName, payload, { only: "async", layers }), interrupted]);
  // Whoever interrupts wants the hooks ended, and not waited for.
  await engine.close({ backgroundMs: 0 });
  if (hungThreads > 0) console.endForGood("threads");
}
