import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { Piscina } from "piscina";
import { describeThrown } from "../../errors.ts";
import { Stop, type StopSignal } from "../../stop-signal.ts";
import type { GuestAnswer, GuestTask } from "../guest/protocol.ts";
import { CallStarts } from "./call-starts.ts";
import {
  DEFAULT_MAX_QUEUE,
  GuestLost,
  type GuestPool,
  type SandboxOptions,
  type ServeAsk,
  threadsOf,
} from "./guest-pool.ts";
import { RequestServer } from "./request-server.ts";
import { warmUp } from "./warm-up.ts";
import type { ThreadTask } from "./worker.ts";

/** The time after which a terminated thread that has not ended is reported, in milliseconds. */
const ALARM_MS = 1_000;

/** How long `close` waits for terminated threads. V8 does not interrupt every loop, but fuel ends every guest. */
const CLOSE_WAIT_MS = 100;

/** How long a guest that waited for an answer may take to end after the answer was refused. */
const LET_GO_MS = 50;

/** How long warming up waits for threads to start. */
const START_WAIT_MS = 5_000;

/** Wait before a second try, so that the ends of other threads are reported first. */
const RETRY_AFTER_MS = 5;

/** Runs guests on worker threads. A thread whose call is aborted is terminated and replaced, never reused. */
export class ThreadPool implements GuestPool {
  readonly #size: number;
  readonly #maxPending: number;
  readonly #maxHung: number;
  readonly #onHungThreads: (count: number) => void;
  readonly #probe: Uint8Array | undefined;
  readonly #threads = new Set<Worker>();
  /** Ids of threads that take calls. */
  readonly #ready = new Set<number>();
  /** Terminated threads that have not ended after `ALARM_MS`. */
  readonly #hung = new Set<Worker>();
  readonly #desk = new RequestServer();
  readonly #starts = new CallStarts(() => this.#ready.size);
  #piscina: Piscina<ThreadTask, GuestAnswer> | undefined;
  #pending = 0;
  /** Number of threads that have ended. */
  #ended = 0;
  #closed = false;

  /**
   * `onHungThreads` is called with the number of threads that have not ended a second after they were terminated, each
   * time this number changes. No call is made while `maxHung` threads have not ended. Default: the number of threads.
   * `probe` is for tests of the self-test.
   */
  constructor(
    options: SandboxOptions = {},
    onHungThreads: (count: number) => void = () => {},
    { probe, maxHung }: { readonly probe?: Uint8Array; readonly maxHung?: number } = {},
  ) {
    this.#probe = probe;
    this.#onHungThreads = onHungThreads;
    this.#size = threadsOf(options);
    this.#maxHung = maxHung ?? this.#size;
    this.#maxPending = this.#size + (options.maxQueue ?? DEFAULT_MAX_QUEUE);
    this.#piscina = this.#start();
  }

  #start(): Piscina<ThreadTask, GuestAnswer> {
    const piscina = new Piscina<ThreadTask, GuestAnswer>({
      filename: new URL("./worker.js", import.meta.url).href,
      // All threads are kept, because Piscina otherwise never runs a queued task after a running task is aborted.
      minThreads: this.#size,
      maxThreads: this.#size,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
      workerData: this.#probe,
      // The environment is empty, so that threads of guests cannot read the user's environment. Extism would also read
      // a variable that opens the engine's stdout to guests.
      env: {},
      // Piscina calls `require` for its file before importing it. If Node allows `require` of ES modules, a thread that
      // is terminated at that moment crashes the whole process (an assertion in the loader of Node 20).
      execArgv: ["--disable-warning=ExperimentalWarning", "--no-experimental-require-module"],
      argv: [],
      // The stack exceeds what the depth counter allows, because V8's own limit varies and must never come first.
      resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 32 },
    });
    // A worker that dies between calls is replaced. Without a listener, the event would end the process.
    piscina.on("error", () => {});
    piscina.on("message", (message: unknown) => {
      this.#desk.receive(message);
      this.#starts.receive(message);
    });
    piscina.on("workerCreate", ({ id }: { readonly id: number }) => {
      this.#ready.add(id);
      this.#watch(piscina);
      this.#starts.serve();
    });
    this.#watch(piscina);
    return piscina;
  }

  /** Counts exits of threads, because Piscina terminates threads without waiting for their end. */
  #watch(piscina: Piscina<ThreadTask, GuestAnswer>): void {
    for (const thread of piscina.threads) {
      if (this.#threads.has(thread)) continue;
      this.#threads.add(thread);
      const { threadId } = thread;
      thread.once("exit", () => {
        this.#ended += 1;
        this.#ready.delete(threadId);
        this.#threads.delete(thread);
        if (this.#hung.delete(thread)) this.#onHungThreads(this.#hung.size);
        setImmediate(() => this.#replaceIfEmpty(piscina));
      });
    }
  }

  /**
   * Destroys a Piscina without threads. After a thread has died before it was ready, Piscina never starts another, and
   * its calls would wait forever. Destroying the Piscina rejects these calls, and the next call starts a new Piscina.
   */
  #replaceIfEmpty(piscina: Piscina<ThreadTask, GuestAnswer>): void {
    if (this.#closed) return;
    this.#watch(piscina);
    if (piscina !== this.#piscina || piscina.threads.length > 0) return;
    this.#piscina = undefined;
    void piscina.destroy();
  }

  /** Reports a terminated thread that does not end, because Piscina forgets a thread when it terminates the thread. */
  #expectEnd(thread: Worker): void {
    const timer = setTimeout(() => {
      if (!this.#threads.has(thread)) return;
      this.#hung.add(thread);
      this.#onHungThreads(this.#hung.size);
    }, ALARM_MS);
    timer.unref();
  }

  /**
   * Rejects if the signal fires, the queue is full, the pool is closed or the worker dies; with {@link GuestLost} if
   * the call cost a thread. Calls are counted here, because Piscina's own `maxQueue` does not count tasks that have a
   * signal.
   */
  async run(task: GuestTask, signal: StopSignal, serve?: ServeAsk): Promise<GuestAnswer> {
    if (this.#closed) throw new Error("the pool is closed");
    if (signal.aborted) throw new Error("stopped before the call began");
    if (this.#pending >= this.#maxPending) {
      throw new Error(`${this.#pending} calls are running or waiting; the limit is ${this.#maxPending}`);
    }
    // Each hung thread may use a whole core, and a new thread might hang too.
    if (this.#hung.size >= this.#maxHung) {
      throw new Error(`${this.#hung.size} threads do not end; no guard is run until one does`);
    }
    if (serve === undefined) return this.#runTwice(task, signal, () => true);
    let hasAsked = false;
    const call = this.#desk.enter((ask) => {
      hasAsked = true;
      return serve(ask);
    });
    try {
      return await this.#runTwice({ ...task, call }, signal, () => !hasAsked);
    } finally {
      this.#desk.leave(call);
    }
  }

  /** Runs a call again if its thread died through no fault of the call, unless the call has sent a request. */
  async #runTwice(task: ThreadTask, signal: StopSignal, mayRepeat: () => boolean): Promise<GuestAnswer> {
    const ended = this.#ended;
    try {
      return await this.#measured(task, signal);
    } catch (error) {
      const hasThreadDied = this.#ended > ended && !(error instanceof GuestLost);
      if (!hasThreadDied || !mayRepeat() || signal.aborted || this.#closed) throw error;
    }
    signal.enter?.("queue");
    await sleep(RETRY_AFTER_MS);
    return this.#measured(task, signal);
  }

  async #measured(task: ThreadTask, signal: StopSignal): Promise<GuestAnswer> {
    const { enter } = signal;
    if (enter === undefined) return this.#run(task, signal);
    const isLinked = task.setup === undefined;
    const start = this.#starts.enter(enter, isLinked);
    try {
      // The thread reports when the guest starts. If a thread is free and the guest is linked, the guest starts
      // immediately.
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
    // Piscina accepts an emitter as a signal, which is cheaper. Piscina terminates the thread during `emit`.
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
      // Piscina reports a thread that it starts for the call only once it is ready, and the thread may die before that.
      if (this.#threads.size < this.#size) this.#watch(piscina);
      const answered = await answer;
      if (letGo !== undefined) throw new Error("stopped while the guard waited for an answer");
      return answered;
    } catch (error) {
      this.#watch(piscina);
      if (lost !== undefined) this.#expectEnd(lost);
      const outOfMemory = (error as { readonly code?: unknown } | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY";
      if (lost === undefined && !outOfMemory) throw error;
      throw new GuestLost(describeThrown(error), { cause: error, ...(lost && { ended: endOf(lost) }) });
    } finally {
      clearTimeout(letGo);
      this.#pending -= 1;
    }
  }

  /** Makes calls in each free thread. Ignores threads that are busy or slow to start. */
  async runInEach(task: GuestTask): Promise<void> {
    const started = performance.now();
    while (this.#ready.size < this.#size && performance.now() - started < START_WAIT_MS) await sleep(1);
    // All calls are made at the same time. Each thread gets one call, because a thread makes one call at a time.
    const round = () => Promise.allSettled(Array.from({ length: this.#size }, () => this.run(task, new Stop())));
    await warmUp(round, () => this.#closed);
  }

  /** Whether a thread can take a call. */
  get isReady(): boolean {
    return this.#ready.size > 0;
  }

  /** Number of threads that have not ended, including terminated threads. */
  get liveThreads(): number {
    return this.#threads.size;
  }

  /** Resolves to the number of threads that did not end. */
  async close(threadsMs: number = CLOSE_WAIT_MS): Promise<number> {
    this.#closed = true;
    const deadline = performance.now() + threadsMs;
    await Promise.race([this.#piscina?.destroy(), sleep(threadsMs)]);
    while (this.#threads.size > 0 && performance.now() < deadline) await sleep(5);
    return this.#threads.size;
  }
}

const endOf = (thread: Worker): Promise<void> => new Promise((resolve) => thread.once("exit", () => resolve()));
