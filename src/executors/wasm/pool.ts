import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { Piscina } from "piscina";
import type { GuestAnswer, GuestTask } from "./protocol.ts";

export interface PoolOptions {
  /** Worker threads, all started at the first call and kept. Default: one less than the cores, at most 4. */
  readonly threads?: number;
  /** Calls that may wait for a thread. More than that fail as `unavailable`. Default 256. */
  readonly maxQueue?: number;
}

/** How long `close` waits for threads that were told to end. One that is stuck in native code never does. */
const CLOSE_WAIT_MS = 100;

/** Worker threads for guests. A thread whose call is aborted is ended and replaced, never reused. */
export class WasmPool {
  readonly #piscina: Piscina<GuestTask, GuestAnswer>;
  readonly #threads = new Set<Worker>();

  constructor(options: PoolOptions = {}) {
    // With fewer threads kept than allowed, Piscina strands a queued task when a running one is aborted.
    const threads = options.threads ?? Math.max(1, Math.min(4, availableParallelism() - 1));
    this.#piscina = new Piscina<GuestTask, GuestAnswer>({
      filename: new URL("./worker.js", import.meta.url).href,
      minThreads: threads,
      maxThreads: threads,
      maxQueue: options.maxQueue ?? 256,
      concurrentTasksPerWorker: 1,
      // Guests' threads see nothing of the user's environment; Extism reads a switch from it that opens our stdout.
      env: {},
      execArgv: ["--disable-warning=ExperimentalWarning"],
      argv: [],
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    // A worker that dies between calls is replaced; without a listener the event would end the process.
    this.#piscina.on("error", () => {});
    this.#piscina.on("workerCreate", () => this.#watch());
    this.#watch();
  }

  /** Piscina ends threads without waiting for them, so their exits are counted here. */
  #watch(): void {
    for (const thread of this.#piscina.threads) {
      if (this.#threads.has(thread)) continue;
      this.#threads.add(thread);
      thread.once("exit", () => this.#threads.delete(thread));
    }
  }

  /** Rejects when the signal fires, the queue is full or the worker dies. */
  run(task: GuestTask, signal: AbortSignal): Promise<GuestAnswer> {
    return this.#piscina.run(task, { signal });
  }

  /** Threads that have not ended yet, aborted ones included. */
  get liveThreads(): number {
    return this.#threads.size;
  }

  /** Resolves to the number of threads that would not end. */
  async close(): Promise<number> {
    const deadline = performance.now() + CLOSE_WAIT_MS;
    await Promise.race([this.#piscina.destroy(), sleep(CLOSE_WAIT_MS)]);
    while (this.#threads.size > 0 && performance.now() < deadline) await sleep(5);
    return this.#threads.size;
  }
}
