import { availableParallelism } from "node:os";
import type { StopSignal } from "../../../stop-signal.ts";
import type { HttpAsk, HttpReply } from "../guest/capabilities/capability.ts";
import type { GuestAnswer, GuestTask } from "../guest/protocol.ts";

/** What runs guests: threads of this process, or processes of their own. */
export interface GuestPool {
  /**
   * Rejects when the signal fires, the queue is full, the pool is closed or what ran the guest is gone; with
   * {@link GuestLost} where the call has cost it. `serve` answers what the guest asks for meanwhile. The signal is told
   * when a thread or process has taken the call, and when the guest runs.
   */
  run(task: GuestTask, signal: StopSignal, serve?: ServeAsk): Promise<GuestAnswer>;
  /** Resolves when a call would not have to wait for a start, or none will ever be made. Default: at once. */
  ready?(): Promise<void>;
  /** Makes calls where guests run, until they take no longer than they have to. */
  runInEach(task: GuestTask): Promise<void>;
  /** Resolves to the number of threads or processes that would not end. */
  close(waitMs?: number): Promise<number>;
}

/**
 * Does what a guest has asked for, one thing after the other. Never rejects, and ends with the call's signal. A pool that
 * has called it must not run the call again elsewhere: what was asked for may have been done.
 */
export type ServeAsk = (ask: HttpAsk) => Promise<HttpReply>;

export type Boundary = "thread" | "process";

export interface SandboxOptions {
  /**
   * Where guests run. `thread` (default): on worker threads of this process; fuel ends them. `process`: in processes of
   * their own, which can be killed: a call costs more, and a guest's processor and memory can be taken back by force.
   */
  readonly boundary?: Boundary;
  /** Threads or processes that run guests, all started at the first call and kept. Default: one less than the cores, at most 4. */
  readonly threads?: number;
  /** Calls that may wait for a thread. More than that fail as `unavailable`. Default 256. */
  readonly maxQueue?: number;
}

export function threadsOf({ threads }: SandboxOptions): number {
  return threads ?? Math.max(1, Math.min(4, availableParallelism() - 1));
}

export const DEFAULT_MAX_QUEUE = 256;

/** A limit that guests are held to does not hold here: none is run. */
export class SandboxUnfit extends Error {
  override readonly name = "SandboxUnfit";
  readonly code = "HOOK_SANDBOX_UNFIT";

  constructor({ limit, message }: { readonly limit: string; readonly message: string }) {
    super(
      `HOOK_SANDBOX_UNFIT: the sandbox does not hold its limit "${limit}" on this machine, and runs no guard: ${message}`,
    );
  }
}

/** A call has cost the thread or process that it ran in: it was running when its signal fired, or used up the memory. */
export class GuestLost extends Error {
  override readonly name = "GuestLost";
}
