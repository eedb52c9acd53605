import { createEngine } from "../../engine.ts";
import { UNPAID_MS } from "../../executors/run-clock.ts";
import { killLivingGroups } from "../../processes/living-groups.ts";
import { defaultStateFolder } from "../../state/default-state-folder.ts";
import { EXIT } from "../exit-codes.ts";
import type { Console, Verb } from "../verb.ts";
import { type Job, readJob } from "./job.ts";

/** The verb of the keeper process: looks after hooks that outlive `run`, each with its own timeout. */
export const keep: Verb = {
  summary: "look after hooks that outlive a reply (started by run)",
  usage: "Usage: hookbox keep < JOB\n\nExit codes: 0 the hooks have ended   2 there is no job on standard input",
  run: keepVerb,
};

/** How long the keeper may take to load the configuration again. */
const START_MS = 10_000;
/** Time after the last timeout for ending processes and threads. */
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
  // Leaves the slots at an ordinary end only. Slots of a killed keeper are void because its process has ended.
  (await import("./slots.ts")).leaveSlots();
  return EXIT.done;
}

async function runAsyncRules(job: Extract<Job, { kind: "async" }>, console: Console): Promise<void> {
  // A keeper that outlives its hooks would be a process without a time limit.
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
    approvals: "required",
    sandbox: { threads: 1 },
    onHungThreads: (count) => {
      hungThreads = count;
    },
  });
  const deadlines = engine.asyncRulesFor(eventName, payload, layers).map(({ timeoutMs }) => timeoutMs);
  clearTimeout(untilStarted);
  endAfter(Math.max(0, ...deadlines) + UNPAID_MS + END_MS);
  // Listens for signals before the first hook starts. Otherwise a signal would leave the hook unattended.
  const interrupted = console.untilInterrupted();
  await Promise.race([engine.dispatch(eventName, payload, { only: "async", layers }), interrupted]);
  // `backgroundMs` is 0, because after a signal the hooks are ended without waiting.
  await engine.close({ backgroundMs: 0 });
  if (hungThreads > 0) console.endForGood("threads");
}
