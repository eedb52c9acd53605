import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ProcessGroup } from "../../src/processes/process-group.ts";
import { HOOKS, isRunning, readPids, scratchFolder } from "../executors/command/command-rule.ts";

function startHook(name: string): { child: ChildProcess; pidFile: string; leader: number } {
  const pidFile = path.join(scratchFolder(), "pids");
  const child = spawn(path.join(HOOKS, name), {
    detached: true,
    stdio: "ignore",
    env: { ...process.env, PID_FILE: pidFile },
  });
  const leader = child.pid;
  if (leader === undefined) throw new Error(`${name} did not start`);
  onTestFinished(() => {
    try {
      process.kill(-leader, "SIGKILL");
    } catch {
      // The process has already ended.
    }
  });
  return { child, pidFile, leader };
}

async function firstPid(pidFile: string): Promise<number> {
  await expect.poll(() => readPids(pidFile).length, { timeout: 10_000 }).toBeGreaterThan(0);
  return readPids(pidFile)[0] ?? Number.NaN;
}

describe("end", () => {
  test("kills a process that ignores SIGTERM after its grace period, and not before", async () => {
    const { pidFile, leader } = startHook("ignores-sigterm.sh");
    await firstPid(pidFile);
    const startedAt = performance.now();
    await new ProcessGroup(leader).end(300);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(299);
    expect(isRunning(leader)).toBe(false);
  });

  test("kills a member that outlives its leader", async () => {
    const { child, pidFile, leader } = startHook("leaves-stubborn-child.sh");
    const member = await firstPid(pidFile);
    const leaderGone = once(child, "exit");
    const ended = new ProcessGroup(leader).end(500);
    await leaderGone;
    expect(child.killed).toBe(false); // the state of other processes is not known
    expect(isRunning(member)).toBe(true);
    await ended;
    await expect.poll(() => isRunning(member)).toBe(false);
  });

  test("does not wait for the grace period if all processes end immediately", async () => {
    const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    // Longer than this test may take.
    await new ProcessGroup(child.pid).end(600_000);
    expect(child.signalCode).toBe("SIGTERM");
  });

  test("returns immediately for a process that never started", async () => {
    const group = new ProcessGroup(undefined);
    expect(group.signal("SIGTERM")).toBe(false);
    await group.end(60_000);
  });
});

test("a group that was seen empty is never signalled again, because its id may belong to another one then", async () => {
  const child = spawn("true", { detached: true, stdio: "ignore" });
  const group = new ProcessGroup(child.pid);
  await once(child, "exit");
  expect(group.signal(0)).toBe(false);

  const signals: unknown[] = [];
  const realKill = process.kill;
  process.kill = (...call) => {
    signals.push(call);
    return true;
  };
  try {
    expect(group.signal("SIGKILL")).toBe(false);
    await group.end(50);
  } finally {
    process.kill = realKill;
  }
  expect(signals).toEqual([]);
});
