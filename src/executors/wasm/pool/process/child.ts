import { read, writeSync } from "node:fs";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { runGuests } from "./guest-loop.ts";
import { DESCRIPTORS, OUT_OF_MEMORY } from "./messages.ts";
import { closeForeignDescriptors, leaveNoFolder } from "./surroundings.ts";

/**
 * What a sandbox process runs, in two threads. One runs guests: it reads calls from the channel and writes answers to
 * it by itself, without an event loop in between. It is no main thread because the system decides how much stack that
 * has, and V8's own limit would come before ours. The main thread does nothing but end the process.
 */

if (isMainThread) {
  closeForeignDescriptors();
  endWithEngine();
  const guests = new Worker(new URL(import.meta.url), {
    env: {},
    // The thread cannot see the environment of its process.
    workerData: Object.keys(process.env),
    argv: [],
    execArgv: [],
    // As in the threads of a pool: the same guest gets the same answer there.
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

/** Also while a guest is in a loop that V8 does not interrupt. */
function endWithEngine(): void {
  read(DESCRIPTORS.lifeline, Buffer.alloc(1), 0, 1, null, end);
}

/** An ordinary exit waits for threads, of which one may never end. */
function end(): void {
  leaveNoFolder();
  process.kill(process.pid, "SIGKILL");
}
