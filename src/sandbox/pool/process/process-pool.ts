import { setTimeout as sleep } from "node:timers/promises";
import type { StopSignal } from "../../../stop-signal.ts";
import type { GuestAnswer, GuestSetup, GuestTask } from "../../guest/protocol.ts";
import {
  DEFAULT_MAX_QUEUE,
  GuestLost,
  type GuestPool,
  type SandboxOptions,
  type ServeAsk,
  threadsOf,
} from "../guest-pool.ts";
import { warmUp } from "../warm-up.ts";
import { SANDBOX_FLAGS } from "./flags.ts";
import { MAX_SETUPS } from "./messages.ts";
import { ProcessDied, type ProcessOptions, type SandboxProcess } from "./sandbox-process.ts";
import { SandboxProcesses } from "./sandbox-processes.ts";

/** How long `close` waits for processes that were killed. */
const CLOSE_WAIT_MS = 1_000;
/** How long warming up waits for processes to start. */
const START_WAIT_MS = 5_000;

/** Wait before a retry, so that the ends of other processes are reported first. */
const RETRY_AFTER_MS = 5;
/** How long a guest that waited for an answer may take to end after the answer was refused. */
const LET_GO_MS = 50;

const DEFAULT_OPTIONS: ProcessOptions = {
  file: new URL("./child.js", import.meta.url),
  flags: SANDBOX_FLAGS,
  env: {},
  // Standard streams are not inherited, so a guest cannot write to what the agent reads.
  stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
};

/** A call that waits for a process, for its first or its second try. */
interface Waiting {
  readonly take: (process: SandboxProcess) => void;
  readonly fail: (error: Error) => void;
}

/**
 * Runs guests in separate processes. Keeps one more process than may run calls. The spare process takes over from a
 * killed process while a replacement starts.
 */
export class ProcessPool implements GuestPool {
  readonly #size: number;
  readonly #maxPending: number;
  readonly #processes: SandboxProcesses;
  /** Setups of all rules, including rules that no longer exist, because a new process needs its setup sent again. */
  readonly #setups = new Map<number, GuestSetup>();
  /** Keeps the event loop alive during calls, because processes and their channels are unreferenced. */
  readonly #alive = setInterval(() => {}, 2 ** 30).unref();
  #waiting: Waiting[] = [];
  #pending = 0;
  #atWork = 0;
  #closed = false;

  /**
   * `onHung` is called with the number of processes that have not ended a second after they were killed, each time this
   * number changes. `processOptions` is for tests of the self-test.
   */
  constructor(
    options: SandboxOptions = {},
    onHung: (count: number) => void = () => {},
    processOptions: Partial<ProcessOptions> = {},
  ) {
    this.#size = threadsOf(options);
    this.#maxPending = this.#size + (options.maxQueue ?? DEFAULT_MAX_QUEUE);
    this.#processes = new SandboxProcesses(
      this.#size + 1,
      { ...DEFAULT_OPTIONS, ...processOptions },
      { onFree: () => this.#serveWaiting(), onTrouble: (trouble) => this.#failWaiting(trouble), onHung },
    );
  }

  /** Processes that have not ended, including killed ones. */
  get processes(): readonly SandboxProcess[] {
    return this.#processes.all;
  }

  async run(task: GuestTask, signal: StopSignal, serve?: ServeAsk): Promise<GuestAnswer> {
    if (this.#closed) throw new Error("the pool is closed");
    if (signal.aborted) throw new Error("stopped before the call began");
    if (this.#processes.broken !== undefined) throw this.#processes.broken;
    if (this.#pending >= this.#maxPending) {
      throw new Error(`${this.#pending} calls are running or waiting; the limit is ${this.#maxPending}`);
    }
    if (this.#processes.hung >= this.#size) {
      throw new Error(`${this.#processes.hung} processes do not end; no guard is run until one does`);
    }
    const setup = this.#setupOf(task);
    if (setup === undefined) return { kind: "needs-setup" };
    this.#processes.start();
    return this.#awaited(() => this.#runTwice(task, setup, signal, serve));
  }

  async #awaited<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#pending += 1;
    if (this.#pending === 1) this.#alive.ref();
    try {
      return await work();
    } finally {
      this.#pending -= 1;
      if (this.#pending === 0) this.#alive.unref();
    }
  }

  #setupOf({ setupKey, setup }: GuestTask): GuestSetup | undefined {
    if (setup === undefined) return this.#setups.get(setupKey);
    const [oldest] = this.#setups.keys();
    if (this.#setups.size >= MAX_SETUPS && oldest !== undefined) this.#setups.delete(oldest);
    this.#setups.set(setupKey, setup);
    return setup;
  }

  /**
   * Runs a call again if its process died, because the user or the system may have killed the process. A call that has
   * sent a request is not repeated.
   */
  async #runTwice(
    task: GuestTask,
    setup: GuestSetup,
    signal: StopSignal,
    serve: ServeAsk | undefined,
  ): Promise<GuestAnswer> {
    try {
      return await this.#runOnce(task, setup, signal, serve);
    } catch (error) {
      if (!(error instanceof ProcessDied)) throw error;
      if (error.hasAsked || signal.aborted || this.#closed) throw new GuestLost(error.message, { cause: error });
    }
    // Other processes may have been killed at the same time, and their ends not reported yet.
    signal.enter?.("queue");
    await sleep(RETRY_AFTER_MS);
    try {
      return await this.#runOnce(task, setup, signal, serve);
    } catch (error) {
      if (!(error instanceof ProcessDied)) throw error;
      throw new GuestLost(`${error.message}, and so did the one before`, { cause: error });
    }
  }

  #runOnce(task: GuestTask, setup: GuestSetup, signal: StopSignal, serve: ServeAsk | undefined): Promise<GuestAnswer> {
    return new Promise((resolve, reject) => {
      let running: SandboxProcess | undefined;
      const waiting: Waiting = {
        take: (process) => {
          running = process;
          signal.enter?.("work");
          this.#callIn(process, task, setup, serve).then(resolve, reject).finally(settled);
        },
        fail: (error) => {
          settled();
          reject(error);
        },
      };
      const stop = (): void => {
        if (running === undefined) {
          this.#waiting = this.#waiting.filter((one) => one !== waiting);
          reject(new Error("timed out before a process was free"));
        } else if (running.isAsking) {
          this.#letGo(running);
          reject(new Error("stopped while the guard waited for an answer"));
        } else {
          this.#processes.kill(running);
          reject(new GuestLost("the sandbox process was killed"));
        }
      };
      const settled = (): void => signal.removeEventListener("abort", stop);
      signal.addEventListener("abort", stop);
      this.#waiting.push(waiting);
      this.#serveWaiting();
    });
  }

  /**
   * Gives a guest that waits for an answer time to end, because a slow answer is not the guest's fault. The function
   * that serves the guest gets the same signal and refuses the request, which ends the guest. Kills the process
   * otherwise.
   */
  #letGo(process: SandboxProcess): void {
    const { callId } = process;
    setTimeout(() => {
      if (process.isBusy && process.callId === callId) this.#processes.kill(process);
    }, LET_GO_MS).unref();
  }

  async #callIn(
    process: SandboxProcess,
    task: GuestTask,
    setup: GuestSetup,
    serve: ServeAsk | undefined,
  ): Promise<GuestAnswer> {
    this.#atWork += 1;
    try {
      return await process.call(task, setup, serve);
    } finally {
      this.#atWork -= 1;
      this.#processes.give(process);
      this.#serveWaiting();
    }
  }

  #serveWaiting(): void {
    while (this.#waiting.length > 0 && this.#atWork < this.#size) {
      const process = this.#processes.take();
      if (process === undefined) return;
      this.#waiting.shift()?.take(process);
    }
  }

  #failWaiting(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { fail } of waiting) fail(error);
  }

  /**
   * Waits until the first call can be made: two processes must start, and one of them must be killed for the self-test.
   * This time does not count towards a rule's timeout.
   */
  ready(): Promise<void> {
    return this.#awaited(async () => {
      const deadline = performance.now() + START_WAIT_MS;
      while (!this.#closed && !this.#processes.isSettled && performance.now() < deadline) await sleep(1);
    });
  }

  /** Makes calls in all processes, including the spare process. */
  async runInEach(task: GuestTask): Promise<void> {
    const setup = this.#setupOf(task);
    if (setup === undefined) return;
    await this.#awaited(async () => {
      const deadline = performance.now() + START_WAIT_MS;
      const isExpected = (): boolean => this.#processes.broken === undefined && performance.now() < deadline;
      while (!this.#closed && this.#processes.free <= this.#size && isExpected()) await sleep(1);
      const round = async (): Promise<void> => {
        const taken: SandboxProcess[] = [];
        for (let one = this.#processes.take(); one !== undefined; one = this.#processes.take()) taken.push(one);
        await Promise.allSettled(taken.map((one) => this.#callIn(one, task, setup, undefined)));
        if (taken.length === 0) await sleep(1);
      };
      await warmUp(round, () => this.#closed);
    });
  }

  async close(waitMs: number = CLOSE_WAIT_MS): Promise<number> {
    this.#closed = true;
    this.#failWaiting(new Error("the pool is closed"));
    const left = await this.#processes.close(waitMs);
    clearInterval(this.#alive);
    return left;
  }
}
