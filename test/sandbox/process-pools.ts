import { expect, onTestFinished, vi } from "vitest";
import { admitCode } from "../../src/sandbox/admission/admission.ts";
import { validated } from "../../src/sandbox/admission/compile.ts";
import type { GuestTask } from "../../src/sandbox/guest/protocol.ts";
import type { SandboxOptions } from "../../src/sandbox/pool/guest-pool.ts";
import { ProcessPool } from "../../src/sandbox/pool/process/process-pool.ts";
import type { ProcessOptions } from "../../src/sandbox/pool/process/sandbox-process.ts";
import { guest, wat } from "../helpers/guests.ts";
import { guestTask } from "./guest-task.ts";
import { requirements } from "./module-requirements.ts";

/** Pools of sandbox processes for tests, and calls for them. */

const PATIENCE = { timeout: 20_000, interval: 2 };

export async function processTask(module: Uint8Array<ArrayBuffer>, parts: Partial<GuestTask> = {}): Promise<GuestTask> {
  const code = await admitCode(module, requirements());
  const admission = code.ok ? validated(code) : code;
  if (!admission.ok) throw new Error(admission.message);
  return guestTask(admission, parts);
}

/** Fuel for hours, in a loop that V8 does not interrupt. */
export const SPINNING = await processTask(
  wat(`(module (memory 16) (func (export "handle") (result i32)
    (loop $l (memory.fill (i32.const 0) (i32.const 1) (i32.const 1048576)) (br $l)) (i32.const 0)))`),
  { fuel: 2 ** 52 },
);

const DENYING = await processTask(guest("denies"));

export const never = (): AbortSignal => new AbortController().signal;

export function openProcessPool(options: SandboxOptions = {}, processes: Partial<ProcessOptions> = {}): ProcessPool {
  const pool = new ProcessPool({ threads: 1, ...options }, undefined, processes);
  onTestFinished(async () => void (await pool.close()));
  return pool;
}

const pidsOf = (pool: ProcessPool): readonly number[] => pool.processes.map(({ pid }) => pid as number);

/** Waits until the pool has this many processes, and returns them. */
export async function settled(pool: ProcessPool, count: number): Promise<readonly number[]> {
  await pool.run(DENYING, never());
  return vi.waitFor(() => {
    expect(pool.processes.map(({ state }) => state)).toEqual(Array.from({ length: count }, () => "ready"));
    return pidsOf(pool);
  }, PATIENCE);
}

/** Returns the id of the process that makes a call at present. */
export function busyPid(pool: ProcessPool): Promise<number> {
  return vi.waitFor(() => {
    const pid = pool.processes.find(({ isBusy }) => isBusy)?.pid;
    if (pid === undefined) throw new Error("none is at work");
    return pid;
  }, PATIENCE);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
