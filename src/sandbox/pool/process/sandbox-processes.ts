import { setTimeout as sleep } from "node:timers/promises";
import { BrokenSandbox } from "../guest-pool.ts";
import type { BrokenLimit } from "../self-test.ts";
import { type ProcessOptions, SandboxProcess } from "./sandbox-process.ts";

/** The time after which a killed process that has not ended is reported, in milliseconds. */
const ALARM_MS = 1_000;
/** The time after which a process that is not ready is killed. A busy machine takes a second or two. */
const START_MS = 15_000;
/** Delay before an ended process is replaced while another process is free. */
const REPLACE_AFTER_MS = 25;
/**
 * The maximum number of processes in a row that end before they are ready. After that, no process starts automatically.
 */
const MAX_FAILED_STARTS = 3;
/** How long the process of the kill test runs its endless loop before it is killed. */
const SPIN_MS = 5;

interface ProcessesKeeper {
  /** Called when a process may be free. */
  onFree(): void;
  /** Called when no process will become free: the self-test failed with {@link BrokenSandbox}, or no process starts. */
  onTrouble(trouble: Error): void;
  /** Called when `count` killed processes have not ended after a second. */
  onHung(count: number): void;
}

/**
 * Keeps a fixed number of processes ready. A process can be taken only after its self-test and after the kill test. In
 * the kill test, the first process of all was killed in an endless loop and has ended.
 */
export class SandboxProcesses {
  readonly #count: number;
  readonly #options: ProcessOptions;
  readonly #keeper: ProcessesKeeper;
  readonly #all = new Set<SandboxProcess>();
  /** Free processes. The last returned process is taken first, because its data is still in the processor's caches. */
  #free: SandboxProcess[] = [];
  readonly #killed = new Set<SandboxProcess>();
  readonly #hung = new Set<SandboxProcess>();
  #victim: SandboxProcess | undefined;
  #isProved = false;
  #broken: BrokenSandbox | undefined;
  #failedStarts = 0;
  #isClosed = false;

  constructor(count: number, options: ProcessOptions, keeper: ProcessesKeeper) {
    this.#count = count;
    this.#options = options;
    this.#keeper = keeper;
    this.start();
  }

  /** Set once the self-test found a limit that does not work. */
  get broken(): BrokenSandbox | undefined {
    return this.#broken;
  }

  /** Whether a process is free, or none will become free. */
  get isSettled(): boolean {
    return this.free > 0 || this.#broken !== undefined || this.#failedStarts >= MAX_FAILED_STARTS;
  }

  get hung(): number {
    return this.#hung.size;
  }

  /** Number of processes that can be taken now. */
  get free(): number {
    return this.#isProved ? this.#free.length : 0;
  }

  /** Processes that have not ended, including killed ones. */
  get all(): readonly SandboxProcess[] {
    return [...this.#all];
  }

  take(): SandboxProcess | undefined {
    return this.#isProved ? this.#free.pop() : undefined;
  }

  give(process: SandboxProcess): void {
    if (process.state !== "ready" || this.#killed.has(process) || this.#isClosed) return;
    this.#free.push(process);
    this.#keeper.onFree();
  }

  /** Starts missing processes, even after earlier failed starts. */
  start(): void {
    this.#failedStarts = Math.min(this.#failedStarts, MAX_FAILED_STARTS - 1);
    this.#fill();
  }

  kill(process: SandboxProcess): void {
    if (process.state === "ended" || this.#killed.has(process)) return;
    this.#killed.add(process);
    this.#free = this.#free.filter((one) => one !== process);
    process.kill();
    setTimeout(() => this.#expectEnd(process), ALARM_MS).unref();
    this.#fillSoon();
  }

  /** Resolves to the number of processes that did not end. */
  async close(waitMs: number): Promise<number> {
    this.#isClosed = true;
    this.#free = [];
    const deadline = performance.now() + waitMs;
    for (const process of this.#all) process.discard();
    while (this.#all.size > 0 && performance.now() < deadline) await sleep(2);
    return this.#all.size;
  }

  #fill(): void {
    if (this.#isClosed || this.#broken !== undefined || this.#failedStarts >= MAX_FAILED_STARTS) return;
    const usable = [...this.#all].filter((one) => !this.#killed.has(one) && one !== this.#victim).length;
    // One more process is needed before the kill test, because this test uses the first ready process.
    const wanted = this.#count + (this.#isProved || this.#victim !== undefined ? 0 : 1);
    for (let missing = wanted - usable; missing > 0; missing -= 1) this.#startOne();
  }

  /**
   * Starts missing processes later. A start blocks this process for some milliseconds and then uses a whole core, so
   * calls that a free process can answer come first.
   */
  #fillSoon(): void {
    setTimeout(() => this.#fill(), this.#free.length > 0 ? REPLACE_AFTER_MS : 0).unref();
  }

  #startOne(): void {
    const process = new SandboxProcess(this.#options, {
      onReady: (one) => this.#onReady(one),
      onSpinning: (one) => setTimeout(() => this.kill(one), SPIN_MS).unref(),
      onBrokenLimit: (_, broken) => this.#onBrokenLimit(broken),
      onEnd: (one) => this.#onEnd(one),
    });
    this.#all.add(process);
    setTimeout(() => {
      if (process.state === "starting") this.kill(process);
    }, START_MS).unref();
  }

  #onReady(process: SandboxProcess): void {
    this.#failedStarts = 0;
    if (!this.#isProved && this.#victim === undefined) {
      this.#victim = process;
      process.spin();
    } else {
      this.give(process);
    }
  }

  #onBrokenLimit(broken: BrokenLimit): void {
    this.#broken ??= new BrokenSandbox(broken);
    for (const process of this.#all) process.discard();
    this.#keeper.onTrouble(this.#broken);
  }

  #expectEnd(process: SandboxProcess): void {
    if (process.state === "ended") return;
    if (process === this.#victim) {
      this.#onBrokenLimit({ limit: "kill", message: "a process that was killed in an endless loop did not end" });
      return;
    }
    this.#hung.add(process);
    this.#keeper.onHung(this.#hung.size);
  }

  #onEnd(process: SandboxProcess): void {
    this.#all.delete(process);
    this.#free = this.#free.filter((one) => one !== process);
    if (this.#hung.delete(process)) this.#keeper.onHung(this.#hung.size);
    const wasKilled = this.#killed.delete(process);
    if (process === this.#victim) {
      this.#victim = undefined;
      // If another program killed the process, its end does not prove that this pool can kill a process.
      this.#isProved ||= wasKilled;
      if (this.#isProved) this.#keeper.onFree();
    }
    if (this.#isClosed || this.#broken !== undefined) return;
    if (!process.wasReady) this.#failedStarts += 1;
    if (this.#failedStarts < MAX_FAILED_STARTS) this.#fillSoon();
    else this.#keeper.onTrouble(new Error(`no sandbox process can be started: the last one ${process.end}`));
  }
}
