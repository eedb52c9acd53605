import { setTimeout as sleep } from "node:timers/promises";
import { Stop, type StopSignal } from "../../stop-signal.ts";
import type { GuestAnswer, GuestTask } from "../guest/protocol.ts";
import { GuestLost, type GuestPool, type ServeAsk, type SharedThreads } from "./guest-pool.ts";
import { ThreadPool } from "./thread-pool.ts";

/**
 * Threads that several engines share. Engines with waiting calls take turns, so that the calls of one engine do not delay
 * the calls of another engine by more than one call.
 */

/** How long an engine without a running call waits until another thread is started. Most calls take less time. */
const RESERVE_AFTER_MS = 30;
const RESERVE_IDLE_MS = 10_000;
const MAX_RESERVES = 4;

/** Terminated threads of one engine that have not ended, for each thread, until the engine gets no thread. */
const MAX_LOST_PER_THREAD = 2;
/** Terminated threads of all engines that have not ended, for each thread. Each may use a whole core. */
const MAX_HUNG_PER_THREAD = 8;

/** Modules whose code is compiled in the threads, or is being compiled there. */
const MAX_WARM = 1_024;

type Run = GuestPool["run"];

/** Returns an engine's way to the threads. */
export function joinThreads(threads: SharedThreads, maxQueue: number): GuestPool {
  if (threads instanceof ThreadSharing) return new Member(threads, maxQueue);
  throw new TypeError("threads is not from shareThreads");
}

export class ThreadSharing implements SharedThreads {
  readonly size: number;
  #pool: ThreadPool | undefined;
  /** More threads, for engines that have no running call while others use all threads. */
  readonly #reserves = new Set<ThreadPool>();
  #isReserveStarting = false;
  #running = 0;
  /** Engines with waiting calls, in the order of their turns. */
  readonly #turns = new Set<Member>();
  readonly #warm = new Map<string, boolean>();

  constructor(size: number) {
    this.size = size;
  }

  isWarm(moduleKey: string): boolean {
    return this.#pool?.isReady === true && this.#warm.get(moduleKey) === true;
  }

  /** Starts the threads, if they have not been started. */
  start(): ThreadPool {
    const { size: threads } = this;
    this.#pool ??= new ThreadPool({ threads }, undefined, { maxHung: threads * MAX_HUNG_PER_THREAD });
    return this.#pool;
  }

  /** Runs the member's waiting calls when it is the member's turn. */
  enter(member: Member): void {
    this.#turns.add(member);
    this.#serve();
  }

  #serve(): void {
    for (const member of this.#turns) {
      if (this.#running >= this.size) return;
      // The member's next call waits for the other members.
      this.#turns.delete(member);
      this.#running += 1;
      void member
        .next((...call) => this.start().run(...call))
        .finally(() => {
          this.#running -= 1;
          this.#serve();
        });
      if (member.isWaiting) this.#turns.add(member);
    }
  }

  /** Starts one more thread for engines that are starved, and ends it when it was not needed for a while. */
  async startReserve(): Promise<void> {
    if (this.#isReserveStarting || this.#reserves.size === MAX_RESERVES) return;
    this.#isReserveStarting = true;
    const reserve = new ThreadPool({ threads: 1 }, undefined, { maxHung: MAX_HUNG_PER_THREAD });
    this.#reserves.add(reserve);
    // Ends when the thread runs, without running anything, because the thread does not have this setup.
    await reserve.run({ setupKey: 0, setup: undefined, input: "", fuel: 0 }, new Stop()).catch(() => {});
    this.#isReserveStarting = false;
    for (let usedAt = performance.now(); performance.now() - usedAt < RESERVE_IDLE_MS; ) {
      const starved = [...this.#turns].find((one) => one.isStarved);
      await (starved?.next((...call) => reserve.run(...call)) ?? sleep(RESERVE_AFTER_MS, undefined, { ref: false }));
      if (starved !== undefined) usedAt = performance.now();
    }
    this.#reserves.delete(reserve);
    await reserve.close();
  }

  /** Compiles the module's code in each thread, unless another engine has done this. */
  async warmUp(task: GuestTask): Promise<void> {
    const { setup } = task;
    if (setup === undefined || this.#warm.has(setup.moduleKey)) return;
    if (this.#warm.size === MAX_WARM) this.#warm.clear();
    this.#warm.set(setup.moduleKey, false);
    await this.start().runInEach(task);
    this.#warm.set(setup.moduleKey, true);
  }

  /** Resolves to the number of threads that did not end. */
  async close(waitMs?: number): Promise<number> {
    const left = await Promise.all([this.#pool, ...this.#reserves].map((pool) => pool?.close(waitMs) ?? 0));
    return left.reduce((sum, count) => sum + count, 0);
  }
}

/** The calls of one engine. */
class Member implements GuestPool {
  readonly #sharing: ThreadSharing;
  readonly #maxQueue: number;
  readonly #waiting = new Set<(run: Run) => Promise<void>>();
  readonly #running = new Set<Stop>();
  #starvedAt = Number.POSITIVE_INFINITY;
  #watch: NodeJS.Timeout | undefined;
  #lost = 0;
  #isClosed = false;

  constructor(sharing: ThreadSharing, maxQueue: number) {
    this.#sharing = sharing;
    sharing.start();
    this.#maxQueue = maxQueue;
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Whether calls have waited for a while, and none runs. */
  get isStarved(): boolean {
    return this.isWaiting && this.#running.size === 0 && performance.now() >= this.#starvedAt;
  }

  async run(task: GuestTask, signal: StopSignal, serve?: ServeAsk): Promise<GuestAnswer> {
    if (this.#isClosed) throw new Error("the pool is closed");
    if (signal.aborted) throw new Error("stopped before the call began");
    if (this.#waiting.size >= this.#maxQueue)
      throw new Error(`${this.#waiting.size} calls are waiting; the limit is ${this.#maxQueue}`);
    if (this.#lost >= this.#sharing.size * MAX_LOST_PER_THREAD)
      throw new Error(`${this.#lost} threads of this engine do not end; no guard is run until one does`);
    const stop = new Stop(signal.enter);
    const onAbort = (): void => stop.abort(signal.reason);
    signal.addEventListener("abort", onAbort);
    try {
      return await this.#queued(task, stop, serve);
    } catch (error) {
      if (error instanceof GuestLost && error.ended !== undefined) {
        this.#lost += 1;
        void error.ended.then(() => {
          this.#lost -= 1;
        });
      }
      throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  #queued(task: GuestTask, stop: Stop, serve: ServeAsk | undefined): Promise<GuestAnswer> {
    return new Promise((resolve, reject) => {
      const begin = async (run: Run): Promise<void> => {
        this.#running.add(stop);
        const running = run(task, stop, serve);
        running.then(resolve, reject);
        await running.catch(() => {});
        this.#running.delete(stop);
        this.#watchForStarvation();
      };
      stop.addEventListener("abort", () => {
        if (this.#waiting.delete(begin)) reject(new Error("stopped before a thread was free"));
      });
      this.#waiting.add(begin);
      this.#sharing.enter(this);
      this.#watchForStarvation();
    });
  }

  #watchForStarvation(): void {
    if (this.#running.size > 0 || !this.isWaiting || this.#watch !== undefined) return;
    this.#starvedAt = performance.now() + RESERVE_AFTER_MS;
    const watch = (): void => {
      this.#watch = this.isStarved ? setTimeout(watch, RESERVE_AFTER_MS).unref() : undefined;
      if (this.isStarved) void this.#sharing.startReserve();
    };
    this.#watch = setTimeout(watch, RESERVE_AFTER_MS + 1).unref();
  }

  /** Begins the call that has waited longest, if there is one. Resolves when the call has ended. */
  async next(run: Run): Promise<void> {
    const [begin] = this.#waiting;
    if (begin === undefined) return;
    this.#waiting.delete(begin);
    await begin(run);
  }

  runInEach(task: GuestTask): Promise<void> {
    return this.#sharing.warmUp(task);
  }

  /** Stops the calls of this engine. The threads stay for the other engines. */
  async close(): Promise<number> {
    this.#isClosed = true;
    for (const begin of this.#waiting) void begin(() => Promise.reject(new Error("the pool is closed")));
    this.#waiting.clear();
    for (const stop of this.#running) stop.abort(new Error("the pool is closed"));
    return 0;
  }
}
