import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { Piscina } from "piscina";
import { describeThrown } from "../../../errors.ts";
import { Stop, type StopSignal } from "../../../stop-signal.ts";
import type { GuestAnswer, GuestTask } from "../guest/protocol.ts";
import { AskDesk } from "./ask-desk.ts";
import { CallStarts } from "./call-starts.ts";
import {
  DEFAULT_MAX_QUEUE,
  GuestLost,
  type GuestPool,
  type SandboxOptions,
  type ServeAsk,
  threadsOf,
} from "./guest-pool.ts";
import { warmUp } from "./warm-up.ts";
import type { ThreadTask } from "./worker.ts";

/** How long a thread that was told to end may take before somebody should hear of it. */
const ALARM_MS = 1_000;

/** How long `close` waits for threads that were told to end. V8 does not interrupt every loop; fuel ends them all. */
const CLOSE_WAIT_MS = 100;

/** How long a guest that was waiting for an answer may take to end once it has been told that none comes. */
const LET_GO_MS = 50;

/** How long starting threads are waited for, for no other purpose than to make them warm. */
const START_WAIT_MS = 5_000;
/** Worker threads for guests. A thread whose call is aborted is ended and replaced, never reused. */
export class ThreadPool implements GuestPool {
  readonly #size: number;
  readonly #maxPending: number;
  readonly #onHungThreads: (count: number) => void;
  readonly #probe: Uint8Array | undefined;
  readonly #threads = new Set<Worker>();
  /** Ids of threads that take calls. */
  readonly #ready = new Set<number>();
  /** Threads that were told to end long ago, and have not. */
  readonly #hung = new Set<Worker>();
  readonly #desk = new AskDesk();
  readonly #starts = new CallStarts(() => this.#ready.size);
  #piscina: Piscina<ThreadTask, GuestAnswer> | undefined;
  #pending = 0;
  #closed = false;

  /**
   * `onHungThreads` hears of threads that outlive their end by a second, and again when their number changes. `probe`: for
   * tests of the self-test.
   */
  constructor(
    options: SandboxOptions = {},
    onHungThreads: (count: number) => void = () => {},
    { probe }: { readonly probe?: Uint8Array } = {},
  ) {
    this.#probe = probe;
    this.#onHungThreads = onHungThreads;
    this.#size = threadsOf(options);
    this.#maxPending = this.#size + (options.maxQueue ?? DEFAULT_MAX_QUEUE);
    this.#piscina = this.#start();
  }

  #start(): Piscina<ThreadTask, GuestAnswer> {
    const piscina = new Piscina<ThreadTask, GuestAnswer>({
      filename: new URL("./worker.js", import.meta.url).href,
      // With fewer threads kept than allowed, Piscina strands a queued task when a running one is aborted.
      minThreads: this.#size,
      maxThreads: this.#size,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
      workerData: this.#probe,
      // Guests' threads see nothing of the user's environment; Extism reads a switch from it that opens our stdout.
      env: {},
      // Piscina requires its file before it imports it. Where Node lets a module be required, a thread that is ended just
      // then takes the whole process with it (an assertion of Node 20's loader).
      execArgv: ["--disable-warning=ExperimentalWarning", "--no-experimental-require-module"],
      argv: [],
      // Far above what the depth counter lets a guest use, so that V8's own, unsteady limit never comes first.
      resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 32 },
    });
    // A worker that dies between calls is replaced; without a listener the event would end the process.
    piscina.on("error", () => {});
    piscina.on("message", (message: unknown) => {
      this.#desk.hear(message);
      this.#starts.hear(message);
    });
    piscina.on("workerCreate", ({ id }: { readonly id: number }) => {
      this.#ready.add(id);
      this.#watch(piscina);
      this.#starts.serve();
    });
    this.#watch(piscina);
    return piscina;
  }

  /** Piscina ends threads without waiting for them, so their exits are counted here. */
  #watch(piscina: Piscina<ThreadTask, GuestAnswer>): void {
    for (const thread of piscina.threads) {
      if (this.#threads.has(thread)) continue;
      this.#threads.add(thread);
      const { threadId } = thread;
      thread.once("exit", () => {
        this.#ready.delete(threadId);
        this.#threads.delete(thread);
        if (this.#hung.delete(thread)) this.#onHungThreads(this.#hung.size);
        setImmediate(() => this.#mend(piscina));
      });
    }
  }

  /**
   * Piscina stops replacing threads for good once one has died before it was ready, and its calls would wait for
   * ever. They are rejected here; the next call starts anew.
   */
  #mend(piscina: Piscina<ThreadTask, GuestAnswer>): void {
    if (this.#closed) return;
    this.#watch(piscina);
    if (piscina !== this.#piscina || piscina.threads.length > 0) return;
    this.#piscina = undefined;
    void piscina.destroy();
  }

  /** Piscina forgets a thread once it has told it to end, whether it ends or not. */
  #expectEnd(thread: Worker): void {
    const timer = setTimeout(() => {
      if (!this.#threads.has(thread)) return;
      this.#hung.add(thread);
      this.#onHungThreads(this.#hung.size);
    }, ALARM_MS);
    timer.unref();
  }

  /**
   * Rejects when the signal fires, the queue is full, the pool is closed or the worker dies; with {@link GuestLost}
   * where that has cost a thread. Piscina's own `maxQueue` does not count tasks that have a signal, so they are
   * counted here.
   */
  async run(task: GuestTask, signal: StopSignal, serve?: ServeAsk): Promise<GuestAnswer> {
    if (this.#closed) throw new Error("the pool is closed");
    if (signal.aborted) throw new Error("aborted before it began");
    if (this.#pending >= this.#maxPending) {
      throw new Error(`${this.#pending} calls are running or waiting; the limit is ${this.#maxPending}`);
    }
    // Each of them may hold a core, and a new thread would only be the next.
    if (this.#hung.size >= this.#size) {
      throw new Error(`${this.#hung.size} threads do not end; no guard is run until one does`);
    }
    if (serve === undefined) return this.#measured(task, signal);
    const call = this.#desk.enter(serve);
    try {
      return await this.#measured({ ...task, call }, signal);
    } finally {
      this.#desk.leave(call);
    }
  }

  async #measured(task: ThreadTask, signal: StopSignal): Promise<GuestAnswer> {
    const { enter } = signal;
    if (enter === undefined) return this.#run(task, signal);
    const isLinked = task.setup === undefined;
    const start = this.#starts.enter(enter, isLinked);
    try {
      // A thread says when it begins, unless nothing stands between the call and its guest.
      const isBegun = isLinked && this.#starts.hasThread(start);
      return await this.#run(isBegun ? task : { ...task, start }, signal);
    } finally {
      this.#starts.leave(start);
    }
  }

  async #run(task: ThreadTask, signal: StopSignal): Promise<GuestAnswer> {
    this.#pending += 1;
    this.#piscina ??= this.#start();
    const piscina = this.#piscina;
    let lost: Worker | undefined;
    // Piscina takes an emitter for a signal, which is cheaper; and it ends the thread while the event is being emitted.
    const stop = new EventEmitter();
    const end = (): void => {
      const before = [...piscina.threads];
      stop.emit("abort");
      lost = before.find((thread) => !piscina.threads.includes(thread));
      if (lost !== undefined) this.#ready.delete(lost.threadId);
    };
    let letGo: NodeJS.Timeout | undefined;
    signal.addEventListener("abort", () => {
      if (task.call !== undefined && this.#desk.stop(task.call)) letGo = setTimeout(end, LET_GO_MS);
      else end();
    });
    try {
      const answer = piscina.run(task, { signal: stop });
      // A thread that is started for the call is told of only once it is ready, and may die before that.
      if (this.#threads.size < this.#size) this.#watch(piscina);
      const answered = await answer;
      if (letGo !== undefined) throw new Error("stopped while the guard waited for an answer");
      return answered;
    } catch (error) {
      this.#watch(piscina);
      if (lost !== undefined) this.#expectEnd(lost);
      const outOfMemory = (error as { readonly code?: unknown } | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY";
      throw lost !== undefined || outOfMemory ? new GuestLost(describeThrown(error), { cause: error }) : error;
    } finally {
      clearTimeout(letGo);
      this.#pending -= 1;
    }
  }

  /**
   * Makes calls in each thread that is free. Threads that are busy or slow to start are left as they are.
   */
  async runInEach(task: GuestTask): Promise<void> {
    const started = performance.now();
    while (this.#ready.size < this.#size && performance.now() - started < START_WAIT_MS) await sleep(1);
    // All at once: a thread makes one call at a time, so each gets one.
    const round = () => Promise.allSettled(Array.from({ length: this.#size }, () => this.run(task, new Stop())));
    await warmUp(round, () => this.#closed);
  }

  /** Threads that have not ended yet, aborted ones included. */
  get liveThreads(): number {
    return this.#threads.size;
  }

  /** Resolves to the number of threads that would not end. */
  async close(threadsMs: number = CLOSE_WAIT_MS): Promise<number> {
    this.#closed = true;
    const deadline = performance.now() + threadsMs;
    await Promise.race([this.#piscina?.destroy(), sleep(threadsMs)]);
    while (this.#threads.size > 0 && performance.now() < deadline) await sleep(5);
    return this.#threads.size;
  }
}
