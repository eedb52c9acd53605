import { read, writeSync } from "node:fs";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { runGuests } from "./guest-loop.ts";
import { DESCRIPTORS, OUT_OF_MEMORY } from "./messages.ts";
import { closeForeignDescriptors, leaveNoFolder } from "./process-limits.ts";

/**
 * Entry point of a sandbox process, which has two threads. The worker thread runs guests: it reads calls from the
 * channel and writes answers with synchronous calls, without an event loop. Guests do not run on the main thread,
 * because the system decides its stack size and V8's own limit could come before the depth limit. The main thread only
 * ends the process.
 */

if (isMainThread) {
  closeForeignDescriptors();
  endWithEngine();
  const guests = new Worker(new URL(import.meta.url), {
    env: {},
    // The names are passed on for the self-test, because the thread's own environment is empty.
    workerData: Object.keys(process.env),
    argv: [],
    execArgv: [],
    // The limits equal those of a thread pool, so that a guest gives the same answer in both.
    resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 32 },
  });
  guests.on("error", (error: { readonly code?: unknown } | null) => {
    if (error?.code === "ERR_WORKER_OUT_OF_MEMORY") writeSync(DESCRIPTORS.lifeline, OUT_OF_MEMORY);
    end();
  });
  guests.on("exit", end);
} else {
  await runGuests(workerData as readonly string[]);
}

/** Ends this process when the engine has ended, even while a guest is in a loop that V8 does not interrupt. */
function endWithEngine(): void {
  read(DESCRIPTORS.lifeline, Buffer.alloc(1), 0, 1, null, end);
}

/** Kills this process, because an ordinary exit waits for threads, and a guest's thread may never end. */
function end(): void {
  leaveNoFolder();
  process.kill(process.pid, "SIGKILL");
}
