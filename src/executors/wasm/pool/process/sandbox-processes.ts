import { setTimeout as sleep } from "node:timers/promises";
import { SandboxUnfit } from "../guest-pool.ts";
import type { Unfit } from "../self-test.ts";
import { type ProcessTerms, SandboxProcess } from "./sandbox-process.ts";

/** How long a process that was killed may take to be gone before somebody should hear of it. */
const ALARM_MS = 1_000;
/** A machine that has other work to do starts a process in a second or two. */
const START_MS = 15_000;
/** How long a process that is gone is not missed, where another is free. */
const REPLACE_AFTER_MS = 25;
/** So many processes in a row that never came as far as to take a call. */
const MAX_FAILED_STARTS = 3;
/** How long the process that is killed for proof is left in its loop. */
const SPIN_MS = 5;

export interface ProcessesKeeper {
  /** There may be one to take. */
  onFree(): void;
  /** There will be none to take: {@link SandboxUnfit}, or processes that do not start. */
  onTrouble(trouble: Error): void;
  /** So many are not gone a second after they were killed. */
  onHung(count: number): void;
}

/**
 * Keeps so many processes ready. None can be taken before it has proved its own limits, and before the first of all was
 * seen to die when it was killed in a loop that nothing else ends.
 */
export class SandboxProcesses {
  readonly #count: number;
  readonly #terms: ProcessTerms;
  readonly #keeper: ProcessesKeeper;
  readonly #all = new Set<SandboxProcess>();
  /** The one that was given back last is taken first: what it needs is still in the processor's caches. */
  #free: SandboxProcess[] = [];
  readonly #killed = new Set<SandboxProcess>();
  readonly #hung = new Set<SandboxProcess>();
  #victim: SandboxProcess | undefined;
  #isProved = false;
  #unfit: SandboxUnfit | undefined;
  #failedStarts = 0;
  #isClosed = false;

  constructor(count: number, terms: ProcessTerms, keeper: ProcessesKeeper) {
    this.#count = count;
    this.#terms = terms;
    this.#keeper = keeper;
    this.start();
  }

  /** Set once a limit was found that does not hold. */
  get unfit(): SandboxUnfit | undefined {
    return this.#unfit;
  }

  /** Whether one can be taken, or there is no use in waiting for one. */
  get isSettled(): boolean {
    return this.free > 0 || this.#unfit !== undefined || this.#failedStarts >= MAX_FAILED_STARTS;
  }

  get hung(): number {
    return this.#hung.size;
  }

  /** How many could be taken now. */
  get free(): number {
    return this.#isProved ? this.#free.length : 0;
  }

  /** That have not ended, killed ones included. */
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

  /** Starts what is missing; also where that has failed before. */
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

  /** Resolves to the number of processes that are not gone. */
  async close(waitMs: number): Promise<number> {
    this.#isClosed = true;
    this.#free = [];
    const deadline = performance.now() + waitMs;
    for (const process of this.#all) process.discard();
    while (this.#all.size > 0 && performance.now() < deadline) await sleep(2);
    return this.#all.size;
  }

  #fill(): void {
    if (this.#isClosed || this.#unfit !== undefined || this.#failedStarts >= MAX_FAILED_STARTS) return;
    const usable = [...this.#all].filter((one) => !this.#killed.has(one) && one !== this.#victim).length;
    // Until one was killed for proof there is one more, as the first that is ready will be the one.
    const wanted = this.#count + (this.#isProved || this.#victim !== undefined ? 0 : 1);
    for (let missing = wanted - usable; missing > 0; missing -= 1) this.#startOne();
  }

  /**
   * To start a process takes some milliseconds of this one, and all of a core after that: whoever waits for an answer
   * comes first, where there is a process to give it.
   */
  #fillSoon(): void {
    setTimeout(() => this.#fill(), this.#free.length > 0 ? REPLACE_AFTER_MS : 0).unref();
  }

  #startOne(): void {
    const process = new SandboxProcess(this.#terms, {
      onReady: (one) => this.#onReady(one),
      onSpinning: (one) => setTimeout(() => this.kill(one), SPIN_MS).unref(),
      onUnfit: (_, unfit) => this.#onUnfit(unfit),
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

  #onUnfit(unfit: Unfit): void {
    this.#unfit ??= new SandboxUnfit(unfit);
    for (const process of this.#all) process.discard();
    this.#keeper.onTrouble(this.#unfit);
  }

  #expectEnd(process: SandboxProcess): void {
    if (process.state === "ended") return;
    if (process === this.#victim) {
      this.#onUnfit({ limit: "kill", message: "a process that was killed in a loop goes on" });
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
      // One that somebody else has killed is as dead, and proves as much of nothing.
      this.#isProved ||= wasKilled;
      if (this.#isProved) this.#keeper.onFree();
    }
    if (this.#isClosed || this.#unfit !== undefined) return;
    if (!process.wasReady) this.#failedStarts += 1;
    if (this.#failedStarts < MAX_FAILED_STARTS) this.#fillSoon();
    else this.#keeper.onTrouble(new Error(`no sandbox process can be started: the last one ${process.end}`));
  }
}
