import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { WasmExecutor } from "../../src/executors/wasm/wasm-executor.ts";
import { ProcessPool } from "../../src/sandbox/pool/process/process-pool.ts";
import { deadline, runToFailure, wasmRule } from "../executors/wasm/wasm-rule.ts";
import { guest } from "../helpers/guests.ts";
import {
  busyPid,
  isAlive,
  never,
  openProcessPool as openPool,
  processTask,
  settled,
  SPINNING as spinning,
} from "./process-pools.ts";
import { wasiGuest } from "./wasi-guest.ts";

/** Guests in separate processes: their answers, their failures, and what remains afterwards. */

const denying = await processTask(guest("denies"));

/** Returns a pool for all tests of a group that do not harm its processes. */
function sharedPool(): () => ProcessPool {
  let pool: ProcessPool;
  beforeAll(() => {
    pool = new ProcessPool({ threads: 1 });
  });
  afterAll(() => pool.close());
  return () => pool;
}

describe("a call", () => {
  const shared = sharedPool();

  test("is answered as in a thread", async () => {
    const answer = await shared().run(denying, never());
    expect(answer).toMatchObject({ kind: "answered", usage: { fuel: expect.any(Number) } });
    if (answer.kind !== "answered") throw new Error("not answered");
    expect(JSON.parse(answer.text)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    expect(answer.usage.doneAtMs).toBeLessThanOrEqual(performance.timeOrigin + performance.now());
  });

  test("of a rule that the pool does not know asks for its setup, and later calls do not", async () => {
    const pool = shared();
    const unknown = await processTask(guest("denies"));
    expect(await pool.run({ ...unknown, setup: undefined }, never())).toEqual({ kind: "needs-setup" });
    await pool.run(unknown, never());
    expect(await pool.run({ ...unknown, setup: undefined }, never())).toMatchObject({ kind: "answered" });
  });

  test("that fails reports the reason", async () => {
    const pool = shared();
    expect(await pool.run({ ...spinning, fuel: 1_000_000 }, never())).toMatchObject({
      kind: "failed",
      failure: { kind: "fuel", limit: 1_000_000 },
    });
    expect(await pool.run(await processTask(guest("traps")), never())).toMatchObject({ failure: { kind: "trap" } });
  });

  test("whose guest raises a signal has failed by that, and costs no process", async () => {
    const executor = new WasmExecutor({ boundary: "process", threads: 1 });
    onTestFinished(() => executor.close());
    const raising = wasiGuest(
      ["proc_raise"],
      '(func (export "handle") (result i32) (drop (call $proc_raise (i32.const 6))) (i32.const 0))',
    );
    const rule = wasmRule(raising, { handler: { grants: { wasi: true } } });
    await executor.prepare(rule);
    expect(await runToFailure(rule, { executor })).toMatchObject({ kind: "signal", value: 6 });
  });

  test("is one of many that share a queue, and each gets its own answer", async () => {
    const pool = openPool({ threads: 2 });
    const echoing = await processTask(guest("repeats-its-input"));
    const inputs = Array.from({ length: 60 }, (_, index) => JSON.stringify({ index }));
    const answers = await Promise.all(inputs.map((input) => pool.run({ ...echoing, input }, never())));
    expect(answers.map((answer) => (answer.kind === "failed" ? answer.failure.message : answer))).toEqual(
      inputs.map((input) => `the guard reported an error: ${input}`),
    );
  });
});

describe("a call that is given up", () => {
  test("is killed immediately, and the process that waited for this takes the next call", async () => {
    const pool = openPool();
    const pids = await settled(pool, 2);
    const lost = pool.run(spinning, deadline(100).signal);
    await expect(lost).rejects.toMatchObject({ name: "GuestLost" });
    expect(await pool.run(denying, never())).toMatchObject({ kind: "answered" });
    await vi.waitFor(() => expect(pids.filter(isAlive)).toHaveLength(1), { timeout: 20_000 });
    const after = await settled(pool, 2);
    expect(after.filter((pid) => pids.includes(pid))).toHaveLength(1);
  });

  test("before it starts does not affect the call that runs", async () => {
    const pool = openPool();
    const pids = await settled(pool, 2);
    const first = deadline(600);
    const running = pool.run(spinning, first.signal);
    await expect(pool.run(denying, deadline(100).signal)).rejects.toThrow("before a process was free");
    expect(pids.every(isAlive)).toBe(true);
    await expect(running).rejects.toMatchObject({ name: "GuestLost" });
  });

  test("counts for the queue: a full queue refuses the next call immediately", async () => {
    const pool = openPool({ maxQueue: 1 });
    await settled(pool, 2);
    const stop = deadline();
    const running = pool.run(spinning, stop.signal);
    const waiting = pool.run(denying, never());
    await expect(pool.run(denying, never())).rejects.toThrow("2 calls are running or waiting; the limit is 2");
    stop.pass();
    await expect(running).rejects.toMatchObject({ name: "GuestLost" });
    expect(await waiting).toMatchObject({ kind: "answered" });
  });
});

describe("a sandbox process that is killed", () => {
  test("does not fail its call, which another process repeats once", async () => {
    const pool = openPool();
    await settled(pool, 2);
    const slow = await processTask(guest("allows-then-loops-for-ever"), { fuel: 2 ** 52 });
    const call = pool.run({ ...slow, fuel: 3_000_000_000 }, never());
    process.kill(await busyPid(pool), "SIGKILL");
    expect(await call).toMatchObject({ kind: "failed", failure: { kind: "fuel" } });
  });

  test("twice during one call fails it", async () => {
    const pool = openPool();
    await settled(pool, 2);
    const call = pool.run(spinning, never());
    const outcome = expect(call).rejects.toMatchObject({ name: "GuestLost" });
    const first = await busyPid(pool);
    process.kill(first, "SIGKILL");
    await vi.waitFor(
      async () => {
        const second = await busyPid(pool);
        expect(second).not.toBe(first);
        process.kill(second, "SIGKILL");
      },
      { timeout: 20_000 },
    );
    await outcome;
    expect(await pool.run(denying, never())).toMatchObject({ kind: "answered" });
  });

  test("between calls is replaced", async () => {
    const pool = openPool();
    const pids = await settled(pool, 2);
    for (const pid of pids) process.kill(pid, "SIGKILL");
    expect(await pool.run(denying, deadline(20_000).signal)).toMatchObject({ kind: "answered" });
    const after = await settled(pool, 2);
    expect(after.filter((pid) => pids.includes(pid))).toEqual([]);
  });
});

describe("a pool leaves behind", () => {
  const shared = sharedPool();

  test("nothing after it is closed, and running calls have failed", async () => {
    const pool = openPool({ threads: 2 });
    const pids = await settled(pool, 3);
    const calls = [spinning, spinning, denying].map((task) => pool.run(task, never()));
    const outcomes = Promise.allSettled(calls);
    await sleep(50);
    expect(await pool.close()).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
    expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    await expect(pool.run(denying, never())).rejects.toThrow("the pool is closed");
  });

  test.runIf(process.platform === "linux")("no folder, and its processes have none that they could fill", async () => {
    for (const pid of await settled(shared(), 2)) {
      const folder = readlinkSync(`/proc/${pid}/cwd`);
      expect(folder).toMatch(/hookbox-sandbox-\w+ \(deleted\)$/);
      expect(existsSync(folder.replace(" (deleted)", ""))).toBe(false);
    }
  });

  test.runIf(process.platform === "linux")("no descriptor of the engine in any process", async () => {
    for (const pid of await settled(shared(), 2)) {
      const targets = readdirSync(`/proc/${pid}/fd`).map((name) => readlinkSync(`/proc/${pid}/fd/${name}`));
      expect(targets.filter((target) => target.startsWith("/"))).toEqual(["/dev/null", "/dev/null", "/dev/null"]);
      expect(targets.filter((target) => target.startsWith("socket:"))).toHaveLength(2);
    }
  });
});
