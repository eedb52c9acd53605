import { setTimeout as sleep } from "node:timers/promises";
import { Piscina } from "piscina";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import type { Failure, RunResult } from "../../../src/outcome.ts";
import type { Rule } from "../../../src/rule.ts";
import { ThreadPool } from "../../../src/sandbox/pool/thread-pool.ts";
import { guest } from "../../helpers/guests.ts";
import { guestTask } from "../../sandbox/guest-task.ts";
import { admitted } from "../../sandbox/module-requirements.ts";
import { deadline, openExecutor, run, runToFailure, runToReply, TIMEOUT, wasmRule } from "./wasm-rule.ts";

const looping = wasmRule("allows-then-loops-for-ever");
const denying = wasmRule("denies");

afterEach(() => {
  vi.restoreAllMocks();
});

/** After this every thread has started, and calls begin in the order in which they are made. */
async function warmUp(executor: WasmExecutor, threads = 1): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(Array.from({ length: threads }, () => runToReply(denying, { executor })));
  }
}

/** Starts a call that runs until its deadline, and waits until it runs. */
async function occupy(executor: WasmExecutor): Promise<{ readonly result: Promise<RunResult>; end(): void }> {
  const { signal, pass } = deadline();
  const result = run(looping, { executor, signal });
  await sleep(150);
  return { result, end: pass };
}

/** What a promise settles to within a time that is long for a machine and short for a test. */
const soon = <Value>(promise: Promise<Value>): Promise<Value | "still waiting"> =>
  Promise.race([promise, sleep(5_000, "still waiting" as const, { ref: false })]);

const failureOf = (result: RunResult | "still waiting"): Failure | string =>
  result === "still waiting" ? result : result.ok ? "answered" : result.failure;

describe("a guard that never returns", () => {
  test("is ended by its signal, and fails with the signal's reason", async () => {
    const executor = openExecutor();
    const failure = await runToFailure(looping, { executor, signal: deadline(500).signal });
    expect(failure).toMatchObject(TIMEOUT);
    expect(failure.receipt).toMatchObject({
      abi: 1,
      module: expect.stringMatching(/^sha256:/),
      inputBytes: expect.any(Number),
    });
  });

  test("does not block the next call, even in the only thread", async () => {
    const executor = openExecutor();
    for (let round = 0; round < 5; round += 1) {
      expect(await runToFailure(looping, { executor, signal: deadline(200).signal })).toMatchObject(TIMEOUT);
      expect((await runToReply(denying, { executor })).reply.decision).toBe("deny");
    }
  });

  test("does not delay others while there is another thread", async () => {
    const executor = openExecutor({ threads: 2 });
    await warmUp(executor, 2);
    const { result, end } = await occupy(executor);
    for (let call = 0; call < 20; call += 1)
      expect((await runToReply(denying, { executor })).reply.decision).toBe("deny");
    end();
    expect(await result).toMatchObject({ ok: false, failure: TIMEOUT });
  });

  test("is cancelled by its caller, which is not a timeout", async () => {
    const cancelled: Failure = { kind: "cancelled", message: "cancelled by the caller" };
    const controller = new AbortController();
    setTimeout(() => controller.abort(cancelled), 200);
    expect(await runToFailure(looping, { executor: openExecutor(), signal: controller.signal })).toMatchObject(
      cancelled,
    );
  });
});

test("a call whose deadline passes before it starts does not start", async () => {
  const executor = openExecutor();
  expect(await runToFailure(denying, { executor, signal: AbortSignal.abort(TIMEOUT) })).toMatchObject(TIMEOUT);
  expect((await runToReply(denying, { executor })).reply.decision).toBe("deny");
});

describe("a call that waits for a thread", () => {
  test("runs after the call before it is ended", async () => {
    const executor = openExecutor();
    await warmUp(executor);
    const { result, end } = await occupy(executor);
    const waiting = run(denying, { executor });
    end();
    expect(await result).toMatchObject({ ok: false, failure: TIMEOUT });
    expect(await waiting).toMatchObject({ ok: true, reply: { decision: "deny" } });
  });

  test("fails at its own deadline, and does not affect the running call", async () => {
    const executor = openExecutor();
    await warmUp(executor);
    const { result, end } = await occupy(executor);
    const waiting = deadline(200);
    expect(failureOf(await soon(run(denying, { executor, signal: waiting.signal })))).toMatchObject(TIMEOUT);
    expect(await Promise.race([result, sleep(100, "runs on")])).toBe("runs on");
    end();
    await result;
    expect((await runToReply(denying, { executor })).reply.decision).toBe("deny");
  });

  // Piscina keeps tasks with a signal in a separate queue, which its maxQueue does not count.
  test("is refused as unavailable, immediately, if the queue is full", async () => {
    const executor = openExecutor({ maxQueue: 2 });
    await warmUp(executor);
    const { result, end } = await occupy(executor);
    const queued = [run(denying, { executor }), run(denying, { executor })];
    const refused = [run(denying, { executor }), run(denying, { executor })];
    for (const one of refused) expect(failureOf(await soon(one))).toMatchObject({ kind: "unavailable" });
    end();
    await result;
    for (const one of queued) expect(await one).toMatchObject({ ok: true, reply: { decision: "deny" } });
  });

  test("is refused, and does not run later, if there is no queue", async () => {
    const executor = openExecutor({ maxQueue: 0 });
    await warmUp(executor);
    const { result, end } = await occupy(executor);
    expect(failureOf(await soon(run(looping, { executor, signal: deadline(10_000).signal })))).toMatchObject({
      kind: "unavailable",
    });
    end();
    await result;
    expect(failureOf(await soon(run(denying, { executor })))).toBe("answered");
  });
});

describe("a thread", () => {
  /** The pool behind an executor, captured when it is used. */
  async function piscinaOf(executor: WasmExecutor): Promise<Piscina> {
    const spy = vi.spyOn(Piscina.prototype, "run");
    await runToReply(denying, { executor });
    const piscina = spy.mock.contexts.at(-1);
    if (!(piscina instanceof Piscina)) throw new Error("no pool was used");
    return piscina;
  }

  test("that dies during a call is replaced, and the call is made again once", async () => {
    const executor = openExecutor();
    const piscina = await piscinaOf(executor);
    const { result } = await occupy(executor);
    const waiting = run(denying, { executor });
    await piscina.threads[0]?.terminate();
    expect(await Promise.race([result, sleep(300, "runs on")])).toBe("runs on");
    await piscina.threads[0]?.terminate();
    expect(failureOf(await soon(result))).toMatchObject({ kind: "unavailable" });
    expect(failureOf(await soon(waiting))).toBe("answered");
  });

  test("that is killed ten times during ordinary calls fails none of them", async () => {
    const executor = openExecutor({ threads: 2 });
    const piscina = await piscinaOf(executor);
    for (let round = 0; round < 10; round += 1) {
      const calls = Array.from({ length: 6 }, () => run(denying, { executor }));
      for (const thread of piscina.threads) void thread.terminate();
      for (const one of calls) expect(failureOf(await soon(one))).toBe("answered");
    }
  });

  // Piscina stops starting threads if one dies before it is ready; waiting calls would then wait without end.
  test("that dies while it starts leaves no call waiting for it", async () => {
    const executor = openExecutor();
    const piscina = await piscinaOf(executor);
    const { result, end } = await occupy(executor);
    const waiting = run(denying, { executor });
    end();
    await piscina.threads[0]?.terminate();
    await result;
    expect(failureOf(await soon(waiting))).not.toBe("still waiting");
    expect(failureOf(await soon(run(denying, { executor })))).toBe("answered");
  });

  // Piscina goes on with the remaining threads until more are needed at the same time.
  test("that dies while it starts is replaced", async () => {
    const executor = openExecutor({ threads: 2 });
    const piscina = await piscinaOf(executor);
    await warmUp(executor, 2);
    await piscina.threads[0]?.terminate();
    // The replacement: threads that are not ready come first.
    await piscina.threads[0]?.terminate();
    await warmUp(executor, 2);
    const { result, end } = await occupy(executor);
    expect(failureOf(await soon(run(denying, { executor })))).toBe("answered");
    end();
    await result;
  });

  test("that dies between calls is replaced", async () => {
    const executor = openExecutor();
    const piscina = await piscinaOf(executor);
    for (let round = 0; round < 3; round += 1) {
      await piscina.threads[0]?.terminate();
      expect(failureOf(await soon(run(denying, { executor })))).toBe("answered");
    }
  });
});

describe("a pool", () => {
  const exhausted = async (pool: ThreadPool, count: number): Promise<void> =>
    vi.waitFor(() => expect(pool.liveThreads).toBe(count), { timeout: 10_000, interval: 20 });

  test("starts its threads immediately and ends all of them", async () => {
    const pool = new ThreadPool({ threads: 3 });
    expect(pool.liveThreads).toBe(3);
    expect(await pool.close()).toBeGreaterThanOrEqual(0);
    await exhausted(pool, 0);
  });

  test("has as many threads as before after calls were aborted", async () => {
    const pool = new ThreadPool({ threads: 2 });
    onTestFinished(async () => void (await pool.close()));
    const task = guestTask(await admitted(guest("allows-then-loops-for-ever")), { fuel: 1e15 });
    for (let round = 0; round < 4; round += 1) {
      await expect(pool.run(task, deadline(100).signal)).rejects.toThrow();
    }
    await exhausted(pool, 2);
  });
});

describe("closing an executor", () => {
  const fresh = (rule: Rule): Rule => ({ ...rule });

  test("ends a guard that loops without end, and its call fails", async () => {
    const hung: number[] = [];
    const executor = openExecutor({}, (count) => hung.push(count));
    await warmUp(executor);
    const { result } = await occupy(executor);
    await executor.close();
    expect(failureOf(await soon(result))).toMatchObject({ kind: "unavailable" });
    expect(hung).toEqual([]);
  });

  test("fails the calls that wait", async () => {
    const executor = openExecutor();
    await warmUp(executor);
    await occupy(executor);
    const waiting = [run(denying, { executor }), run(denying, { executor })];
    await executor.close();
    for (const one of waiting) expect(failureOf(await soon(one))).toMatchObject({ kind: "unavailable" });
  });

  test("works before any call, and repeatedly", async () => {
    const executor = openExecutor();
    await executor.close();
    await executor.close();
    const used = openExecutor();
    await runToReply(denying, { executor: used });
    await Promise.all([used.close(), used.close()]);
  });

  test("leaves no thread behind, even for a call that is being prepared or comes later", async () => {
    const spy = vi.spyOn(Piscina.prototype, "run");
    const executor = openExecutor({ threads: 2 });
    await runToReply(denying, { executor });
    // The module is not read yet, and no thread has the call: it reaches the pool after the close. A destroyed Piscina
    // starts new threads for a new task.
    const onItsWay = run(wasmRule("asks"), { executor });
    await executor.close();
    expect(failureOf(await soon(onItsWay))).toMatchObject({ kind: "unavailable" });
    expect(failureOf(await soon(run(fresh(denying), { executor })))).toMatchObject({ kind: "unavailable" });
    await sleep(200);
    const piscina = spy.mock.contexts[0] as Piscina | undefined;
    expect(piscina?.threads).toHaveLength(0);
  });
});
