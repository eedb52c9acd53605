import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, test } from "vitest";
import { runBounded } from "../../src/executors/bounded-run.ts";
import type { Executor, RunOptions } from "../../src/executors/executor.ts";
import { patienceForWork, patienceOf } from "../../src/executors/run-clock.ts";
import type { Failure, Phase, RunResult } from "../../src/outcome.ts";
import fc from "../helpers/fc.ts";
import { makeRule } from "../helpers/rules.ts";

const EVENT = { name: "PreToolUse", dialect: "claude-code", payload: {} } as const;
const ABSTAINED: RunResult = { ok: true, reply: {}, receipt: { micros: 1 } };

const executor = (run: (options: RunOptions) => Promise<RunResult>): Executor => ({
  type: "function",
  run: (_, __, options) => run(options),
  close: async () => {},
});
const running = (
  run: (options: RunOptions) => Promise<RunResult>,
  { timeoutMs = 60_000, patienceMs = 600_000 } = {},
): Promise<RunResult> =>
  runBounded(executor(run), makeRule({ timeoutMs }), EVENT, undefined, patienceOf(patienceMs, performance.now()));
const failureIn = (result: RunResult): Failure | undefined => (result.ok ? undefined : result.failure);
const stopped = ({ signal }: RunOptions): Promise<RunResult> =>
  new Promise((resolve) => {
    const failure = (): void => resolve({ ok: false, failure: signal.reason as Failure, receipt: { micros: 1 } });
    signal.addEventListener("abort", failure);
  });

describe("a rule's timeoutMs", () => {
  test.each<Phase>(["queue", "admission", "compile", "load"])("does not count the phase %s", async (phase) => {
    const result = await running(
      async ({ signal }) => {
        signal.enter?.(phase);
        await sleep(120);
        signal.enter?.("work");
        return ABSTAINED;
      },
      { timeoutMs: 40 },
    );
    expect(result).toBe(ABSTAINED);
  });

  test("counts all work together, and reports the waiting time separately", async () => {
    const result = await running(
      async (options) => {
        await sleep(30);
        options.signal.enter?.("queue");
        await sleep(60);
        options.signal.enter?.("work");
        return stopped(options);
      },
      { timeoutMs: 80 },
    );
    const failure = failureIn(result);
    expect(failure).toMatchObject({ kind: "timeout", phase: "work", limit: 80 });
    expect(failure?.message).toMatch(
      /^no answer within 80 ms of work, its timeoutMs \(and \d+ ms of waiting and loading, which do not count\)$/,
    );
    // The value is the measured time, and the receipt has the waiting time as well.
    expect(failure?.value).toBeGreaterThanOrEqual(80);
    expect(result.receipt.micros).toBeGreaterThanOrEqual(1);
  });

  test("does not override an answer that had arrived while the thread was too busy to read it", async () => {
    const result = await running(
      async () => {
        const answer = new Promise<void>((resolve) => setImmediate(resolve));
        const busyUntil = performance.now() + 80;
        while (performance.now() < busyUntil);
        await answer;
        return ABSTAINED;
      },
      { timeoutMs: 40 },
    );
    expect(result).toBe(ABSTAINED);
  });
});

describe("the patience of an event", () => {
  test.each<Phase>(["queue", "admission", "compile", "load", "work"])(
    "ends a run in the phase %s and names it",
    async (phase) => {
      const result = await running(
        (options) => {
          options.signal.enter?.(phase);
          return stopped(options);
        },
        { patienceMs: 100 },
      );
      expect(failureIn(result)).toMatchObject({ kind: "timeout", phase, limit: 50 });
      expect(failureIn(result)?.message).toContain(`it was in phase "${phase}"`);
    },
  );

  test("keeps a tenth, and at least half a second, for delivering the verdict; half of a patience below a second", () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 86_400_000, noNaN: true }), (patienceMs) => {
        const { answerMs } = patienceOf(patienceMs, 0);
        const marginMs = patienceMs - answerMs;
        expect(answerMs).toBeGreaterThan(0);
        expect(marginMs + 1e-6).toBeGreaterThanOrEqual(patienceMs / 10);
        if (patienceMs >= 1_000) expect(marginMs + 1e-6).toBeGreaterThanOrEqual(500);
        else expect(marginMs).toBeCloseTo(patienceMs / 2);
      }),
    );
  });

  test("is a minute more than the slowest rule's timeout if it is not known", () => {
    const rules = [makeRule({ timeoutMs: 5 }), makeRule({ timeoutMs: 90_000 })];
    expect(patienceForWork(rules, 0)).toMatchObject({ patienceMs: 150_000, answerMs: 150_000 });
    expect(patienceForWork(rules, 0, 600_000)).toMatchObject({ patienceMs: 600_000 });
  });
});

describe("a failure that is found after a deadline", () => {
  const late = (failure: Failure): Promise<RunResult> =>
    running(
      ({ signal }) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => resolve({ ok: false, failure, receipt: { micros: 1 } })),
        ),
      { timeoutMs: 20 },
    );

  test.each<Failure>([
    { kind: "integrity", code: "HOOK_LOCK_MISMATCH", message: "changed" },
    { kind: "unavailable", code: "HOOK_MODULE_NOT_FOUND", message: "missing" },
    { kind: "trap", message: "unreachable" },
    { kind: "fuel", message: "spent" },
    { kind: "capability", code: "HOOK_MODULE_IMPORT", message: "imports" },
  ])("keeps its cause: $kind", async (failure) => {
    expect(failureIn(await late(failure))).toEqual(failure);
  });

  test.each<Failure>([
    { kind: "unavailable", message: "the call was aborted" },
    { kind: "signal", message: "was ended by SIGTERM" },
    { kind: "cancelled", message: "stopped" },
  ])("is the timeout if stopping the run can have caused it: $kind", async (failure) => {
    expect(failureIn(await late(failure))).toMatchObject({ kind: "timeout", limit: 20 });
  });

  test("does not turn a late answer into a valid one", async () => {
    const result = await running(
      ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(ABSTAINED))),
      { timeoutMs: 20 },
    );
    expect(failureIn(result)).toMatchObject({ kind: "timeout" });
  });
});
