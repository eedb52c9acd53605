import { expect, test } from "vitest";
import type { ResolvedAddress } from "../../src/net/dns-lookup.ts";
import { LookupQueue } from "../../src/net/lookup-queue.ts";
import { Stop } from "../../src/stop-signal.ts";
import fc from "../helpers/fc.ts";

/** A name server that answers when the test says so. */
function nameServer() {
  const asked: string[] = [];
  const open = new Map<string, { answer(): void; fail(error: Error): void }>();
  const resolve = (host: string): Promise<readonly ResolvedAddress[]> =>
    new Promise((answered, failed) => {
      // As in the system: two equal lookups would use two threads.
      expect(open.has(host)).toBe(false);
      asked.push(host);
      const settle = (how: () => void): void => {
        open.delete(host);
        how();
      };
      open.set(host, {
        answer: () => settle(() => answered([{ address: "192.0.2.1", family: 4 }])),
        fail: (error) => settle(() => failed(error)),
      });
    });
  return {
    resolve,
    asked,
    running: (): readonly string[] => [...open.keys()],
    answer: (host: string) => open.get(host)?.answer(),
    fail: (host: string) => open.get(host)?.fail(new Error("no such name")),
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const never = new Stop();

test("lookups run two at a time for all callers, and the others in the order of the calls", async () => {
  const server = nameServer();
  const queue = new LookupQueue(server.resolve);
  const found = ["a", "b", "c", "d"].map((host) => queue.ask(host, { holder: {}, signal: never }));
  expect(server.running()).toEqual(["a", "b"]);
  server.answer("b");
  await turn();
  expect(server.running()).toEqual(["a", "c"]);
  server.fail("a");
  await expect(found[0]).rejects.toThrow("no such name");
  expect(server.running()).toEqual(["c", "d"]);
  server.answer("c");
  server.answer("d");
  expect(await Promise.all(found.slice(1))).toHaveLength(3);
});

test("a caller that asks for names without an answer uses one of the two slots, and not the other", async () => {
  const server = nameServer();
  const queue = new LookupQueue(server.resolve);
  const [slow, other] = [{}, {}];
  for (const host of ["slow1", "slow2", "slow3"]) void queue.ask(host, { holder: slow, signal: never });
  const found = queue.ask("quick", { holder: other, signal: never });
  expect(server.running()).toEqual(["slow1", "quick"]);
  server.answer("quick");
  expect(await found).toHaveLength(1);
  expect(server.running()).toEqual(["slow1"]);
});

test("equal lookups at the same time are one, and an answered name is looked up again", async () => {
  const server = nameServer();
  const queue = new LookupQueue(server.resolve);
  const ask = (host: string, holder = {}) => queue.ask(host, { holder, signal: never });
  const mine = {};
  const found = [ask("a", mine), ask("b"), ask("a"), ask("c", mine), ask("c"), ask("b", mine)];
  expect(server.asked).toEqual(["a", "b"]);
  server.answer("a");
  await turn();
  expect(server.asked).toEqual(["a", "b", "c"]);
  server.answer("b");
  server.answer("c");
  await Promise.all(found);
  expect(server.asked).toEqual(["a", "b", "c"]);
  void ask("a");
  expect(server.asked).toEqual(["a", "b", "c", "a"]);
});

test("a queued lookup never runs once its call is over", async () => {
  const server = nameServer();
  const queue = new LookupQueue(server.resolve);
  void queue.ask("a", { holder: {}, signal: never });
  void queue.ask("b", { holder: {}, signal: never });
  const stop = new Stop();
  const late = queue.ask("late", { holder: {}, signal: stop });
  const next = queue.ask("next", { holder: {}, signal: never });
  stop.abort({ kind: "timeout", message: "no answer within 10 ms" });
  await expect(late).rejects.toThrow("the call is over");
  server.answer("a");
  await turn();
  expect(server.running()).toEqual(["b", "next"]);
  server.answer("next");
  expect(await next).toHaveLength(1);
  expect(server.asked).not.toContain("late");
});

test("a lookup that another caller still waits for goes on when the first caller's call is over", async () => {
  const server = nameServer();
  const queue = new LookupQueue(server.resolve);
  const stop = new Stop();
  const first = queue.ask("a", { holder: {}, signal: stop });
  const second = queue.ask("a", { holder: {}, signal: never });
  stop.abort({ kind: "timeout", message: "no answer within 10 ms" });
  server.answer("a");
  expect(await Promise.all([first, second])).toHaveLength(2);
});

test("for any requests, answers and cancellations: at most two lookups run, one for each name, and every caller gets a result", async () => {
  const step = fc.oneof(
    fc.record({ ask: fc.constantFrom("a", "b", "c", "d"), holder: fc.nat(2) }),
    fc.record({ answer: fc.nat(1) }),
    fc.record({ fail: fc.nat(1) }),
    fc.record({ stop: fc.nat(19) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const server = nameServer();
      const queue = new LookupQueue(server.resolve);
      const holders = [{}, {}, {}];
      const calls: { readonly stop: Stop; readonly told: Promise<unknown> }[] = [];
      for (const one of steps) {
        if ("ask" in one) {
          const stop = new Stop();
          const told = queue.ask(one.ask, { holder: holders[one.holder] as object, signal: stop });
          calls.push({ stop, told: told.then(String, String) });
        } else if ("stop" in one) calls[one.stop]?.stop.abort("over");
        else if ("answer" in one) server.answer(server.running()[one.answer] ?? "");
        else server.fail(server.running()[one.fail] ?? "");
        expect(server.running().length).toBeLessThanOrEqual(2);
        await turn();
      }
      for (let left = calls.length + 1; left > 0; left--) {
        for (const host of server.running()) server.answer(host);
        await turn();
      }
      expect(server.running()).toEqual([]);
      await Promise.all(calls.map(({ told }) => told));
    }),
    { numRuns: 100 },
  );
});
