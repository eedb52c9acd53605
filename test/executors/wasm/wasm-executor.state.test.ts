import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import { count, countingRule, ENDINGS, type Ending, eventOf, fatalEvent } from "./counting-guest.ts";
import { deadline, LIMITS, openExecutor, run, runToFailure, runToReply, TIMEOUT } from "./wasm-rule.ts";

test("a guard whose rule grants state finds its stored state, and its receipts list it", async () => {
  const executor = openExecutor();
  const rule = countingRule();
  expect([
    await count(rule, "s", executor),
    await count(rule, "s", executor),
    await count(rule, "s", executor),
  ]).toEqual([1, 2, 3]);
  const { receipt } = await runToReply(rule, { executor, event: eventOf("s") });
  expect(receipt).toMatchObject({ grants: ["state"], deterministic: false });
});

describe("a guard's state is separate", () => {
  test("from other rules of the same module, other sessions and other engines", async () => {
    const [executor, other] = [openExecutor(), openExecutor()];
    const [rule, sameModule] = [countingRule(), countingRule()];
    await count(rule, "s", executor);
    expect(await count(sameModule, "s", executor)).toBe(1);
    expect(await count(rule, "t", executor)).toBe(1);
    expect(await count(rule, "s", other)).toBe(1);
    expect(await count(rule, "s", executor)).toBe(2);
  });

  test("in sessions whose ids are long, unusual or nearly the same", async () => {
    const executor = openExecutor();
    const rule = countingRule();
    const ids = ["a", "a ", "A", "a\0", "\ud800", "\udfff", "\ufffd", "é", "e\u0301", "__proto__", "x".repeat(1e6)];
    for (const id of ids) expect(await count(rule, id, executor), JSON.stringify(id.slice(0, 9))).toBe(1);
    for (const id of ids) expect(await count(rule, id, executor), JSON.stringify(id.slice(0, 9))).toBe(2);
  });

  test("from all sessions if an event has none: the engine has a session for such events", async () => {
    const [executor, other] = [openExecutor(), openExecutor()];
    const rule = countingRule();
    const counts: number[] = [];
    for (const nameless of [undefined, "", null, 7, ["s"], { id: "s" }]) {
      counts.push(await count(rule, nameless, executor));
    }
    expect(counts).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await count(rule, "7", executor)).toBe(1);
    expect(await count(rule, undefined, other)).toBe(1);
  });
});

test("a thousand calls at the same time, of five sessions and two rules, are all counted", async () => {
  const executor = openExecutor({ threads: 3, maxQueue: 1_000 });
  const rules = [countingRule(), countingRule()];
  const counts = new Map<string, number[]>();
  await Promise.all(
    Array.from({ length: 1_000 }, async (_, index) => {
      const [rule, session] = [rules[index % 2]!, `s${(index >> 1) % 5}`];
      const scope = `${rule.id} ${session}`;
      const reached = await count(rule, session, executor);
      counts.set(scope, [...(counts.get(scope) ?? []), reached]);
    }),
  );
  expect(counts.size).toBe(10);
  const upTo100 = Array.from({ length: 100 }, (_, index) => index + 1);
  // In the order in which they came.
  for (const reached of counts.values()) expect(reached).toEqual(upTo100);
});

describe("a call changes nothing", () => {
  const failing = (Object.keys(ENDINGS) as Ending[]).filter((ending) => ending !== "answers" && ending !== "abstains");

  test.each(failing)("if its guard %s after counting", async (ending) => {
    const executor = openExecutor();
    const limits = ending === "loops for ever" ? { ...LIMITS, fuel: 1_000_000 } : LIMITS;
    const rule = countingRule(ending, { handler: { limits } });
    expect(await count(rule, "s", executor)).toBe(1);
    for (const _ of [1, 2]) {
      expect(await run(rule, { executor, event: fatalEvent("s") })).toMatchObject({ ok: false });
    }
    expect(await count(rule, "s", executor)).toBe(2);
  });

  test("if it is killed at its deadline, and the next call starts then", async () => {
    const executor = openExecutor({ threads: 2 });
    const loops = countingRule("loops for ever");
    const { signal, pass } = deadline();
    expect(await count(loops, "s", executor)).toBe(1);
    const killed = run(loops, { executor, event: fatalEvent("s"), signal });
    const next = count(loops, "s", executor);
    await sleep(200);
    pass();
    expect(await killed).toMatchObject({ ok: false, failure: TIMEOUT });
    expect(await next).toBe(2);
  });

  test("if a fixture makes it, in a world with other state variables", async () => {
    const executor = openExecutor();
    const rule = countingRule();
    await count(rule, "s", executor);
    const options = { signal: new AbortController().signal, timeLeftMs: 1_000 };
    const given = { state: { n: "\u0008\0\0\0\0\0\0\0" } };
    const told = await executor.run(rule, eventOf("s"), { ...options, given });
    expect(told).toMatchObject({ ok: true, reply: { reason: "000009" } });
    expect(await executor.run(rule, eventOf("s"), { ...options, given: {} })).toMatchObject({
      reply: { reason: "000001" },
    });
    expect(await count(rule, "s", executor)).toBe(2);
  });
});

describe("a call that waits for another call of its scope", () => {
  test("leaves immediately at its deadline, without delaying the others", async () => {
    const executor = openExecutor({ threads: 2 });
    const loops = countingRule("loops for ever");
    const running = deadline();
    const first = run(loops, { executor, event: fatalEvent("s"), signal: running.signal });
    await sleep(200);
    const waiting = await run(loops, { executor, event: fatalEvent("s"), signal: deadline(100).signal });
    expect(waiting).toMatchObject({ ok: false, failure: TIMEOUT });
    // Another session and another rule have separate queues.
    expect(await count(countingRule(), "s", executor)).toBe(1);
    running.pass();
    expect(await first).toMatchObject({ ok: false, failure: TIMEOUT });
  });

  test("is one of a bounded number", async () => {
    const executor = openExecutor({ threads: 1, maxQueue: 3 });
    const rule = countingRule("answers", { layer: "user" });
    await count(rule, "s", executor);
    const results = await Promise.all(Array.from({ length: 6 }, () => run(rule, { executor, event: eventOf("s") })));
    const refused = results.filter((result) => !result.ok);
    expect(refused).toHaveLength(2);
    expect(refused[0]).toMatchObject({
      failure: { kind: "unavailable", message: expect.stringContaining("3 calls wait for an earlier call") },
    });
    expect(await count(rule, "s", executor)).toBe(6);
  });

  test("fails when the engine is closed", async () => {
    const executor = new WasmExecutor({ threads: 1 });
    onTestFinished(() => executor.close());
    const loops = countingRule("loops for ever");
    const calls = [1, 2, 3].map(() => run(loops, { executor, event: fatalEvent("s") }));
    await sleep(300);
    await executor.close();
    for (const result of await Promise.all(calls)) {
      expect(result).toMatchObject({ ok: false, failure: { kind: "unavailable" } });
    }
  });
});

describe("the end of a session", () => {
  test("removes its state, and nothing else", async () => {
    const executor = openExecutor();
    const rule = countingRule();
    for (const session of ["s", "t"]) await count(rule, session, executor);
    executor.sessionEnded(eventOf("s"));
    expect(await count(rule, "s", executor)).toBe(1);
    expect(await count(rule, "t", executor)).toBe(2);
  });

  // A project's rule waits for a slot as well.
  test.each(["user", "project"] as const)("waits for started calls of a rule of layer %s", async (layer) => {
    const executor = openExecutor({ threads: 1 });
    const rule = countingRule("answers", { layer });
    await count(rule, "s", executor);
    const calls = [count(rule, "s", executor), count(rule, "s", executor)];
    executor.sessionEnded(eventOf("s"));
    expect(await Promise.all(calls)).toEqual([2, 3]);
    expect(await count(rule, "s", executor)).toBe(1);
  });

  test("waits for calls whose module is still being loaded, and for calls without a session", async () => {
    const executor = openExecutor();
    const rule = countingRule();
    const calls = ["s", "s", ""].map((session) => count(rule, session, executor));
    for (const session of ["s", ""]) executor.sessionEnded(eventOf(session));
    expect(await Promise.all(calls)).toEqual([1, 2, 1]);
    for (const session of ["s", ""]) expect(await count(rule, session, executor)).toBe(1);
  });
});

describe("in a process that tries guards in its own thread first", () => {
  const openTrying = (): WasmExecutor => {
    const executor = new WasmExecutor({ threads: 1, triesHereFirst: true });
    onTestFinished(() => executor.close());
    return executor;
  };

  test("calls count as they do in the pool", async () => {
    const executor = openTrying();
    const rule = countingRule();
    const all = await Promise.all([1, 2, 3, 4].map(() => count(rule, "s", executor)));
    expect(all).toEqual([1, 2, 3, 4]);
  });

  test("a try without an answer is not counted in addition to the call in the pool", async () => {
    const executor = openTrying();
    const rule = countingRule("loops for ever", { handler: { limits: { ...LIMITS, fuel: 2_000_000 } } });
    expect(await runToFailure(rule, { executor, event: fatalEvent("s") })).toMatchObject({ kind: "fuel" });
    expect(await count(rule, "s", executor)).toBe(1);
  });
});
