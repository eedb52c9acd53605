import { availableParallelism } from "node:os";
import type { StopSignal } from "../../stop-signal.ts";
import type { HttpAsk, HttpReply } from "../guest/capabilities/capability.ts";
import type { GuestAnswer, GuestTask } from "../guest/protocol.ts";

/** Runs guests, in threads of this process or in separate processes. */
export interface GuestPool {
  /**
   * Runs one call. Rejects if the signal fires, the queue is full, the pool is closed, or the thread or process has
   * ended; with {@link GuestLost} if the call caused that end. `serve` answers the guest's requests during the call.
   * `signal.enter` is called when a thread or process takes the call, and when the guest starts to run.
   */
  run(task: GuestTask, signal: StopSignal, serve?: ServeAsk): Promise<GuestAnswer>;
  /** Resolves when a call need not wait for a start, or when no call can be made. Default: immediately. */
  ready?(): Promise<void>;
  /** Makes calls in each thread or process until V8 has compiled the guest's code and the times are steady. */
  runInEach(task: GuestTask): Promise<void>;
  /** Resolves to the number of threads or processes that did not end. */
  close(waitMs?: number): Promise<number>;
}

/**
 * Carries out a guest's requests, one after the other. Never rejects, and ends with the call's signal. A pool that has
 * called this function must not run the call again, because the request may have had an effect.
 */
export type ServeAsk = (ask: HttpAsk) => Promise<HttpReply>;

export type Boundary = "thread" | "process";

export interface SandboxOptions {
  /**
   * Where guests run. `thread` (default): on worker threads of this process; fuel ends a guest. `process`: in separate
   * processes. A call costs more there, but killing the process always frees a guest's processor and memory.
   */
  readonly boundary?: Boundary;
  /**
   * Number of threads or processes that run guests. All start at the first call and are kept. Default: one less than
   * the number of cores, at least 1 and at most 4. With `SharedThreads`, several engines use the same threads.
   */
  readonly threads?: number | SharedThreads;
  /** Maximum number of calls that wait for a thread. Further calls fail as `unavailable`. Default: 256. */
  readonly maxQueue?: number;
}

export function threadsOf({ threads }: SandboxOptions): number {
  if (typeof threads === "object") return threads.size;
  return threads ?? Math.max(1, Math.min(4, availableParallelism() - 1));
}

/** Threads that several engines share. Made by `shareThreads`. */
export interface SharedThreads {
  /** The number of threads. */
  readonly size: number;
  /** Whether a thread can take a call, and has compiled the module. */
  isWarm(moduleKey: string): boolean;
  /** Ends the threads, after the engines were closed. Resolves to the number of threads that did not end. */
  close(waitMs?: number): Promise<number>;
}

export const DEFAULT_MAX_QUEUE = 256;

/** Thrown if the self-test found a limit that does not work on this machine, so that no guest is run. */
export class BrokenSandbox extends Error {
  override readonly name = "BrokenSandbox";
  readonly code = "HOOK_SANDBOX_UNFIT";

  constructor({ limit, message }: { readonly limit: string; readonly message: string }) {
    super(
      `HOOK_SANDBOX_UNFIT: the sandbox's limit "${limit}" does not work on this machine, so no guard is run: ${message}`,
    );
  }
}

/** Thrown if a call cost its thread or process: it was running when its signal fired, or it used up the memory. */
export class GuestLost extends Error {
  override readonly name = "GuestLost";
  /** Resolves when the thread of the call has ended. `undefined`: the thread or process has ended. */
  readonly ended: Promise<void> | undefined;

  constructor(message: string, { cause, ended }: { readonly cause?: unknown; readonly ended?: Promise<void> } = {}) {
    super(message, { cause });
    this.ended = ended;
  }
}
