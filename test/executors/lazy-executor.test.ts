import { expect, test } from "vitest";
import type { Executor } from "../../src/executors/executor.ts";
import { LazyExecutor } from "../../src/executors/lazy-executor.ts";
import { WatchedExecutor } from "../../src/executors/watched-executor.ts";
import type { RunResult } from "../../src/outcome.ts";
import { Stop } from "../../src/stop-signal.ts";
import { makeEvent, makeRule } from "../helpers/rules.ts";

/** Loading the client of a provider blocks the thread for longer than a guard may take to answer. */

const DONE: RunResult = { ok: true, reply: {}, receipt: { micros: 1 } };

test("a module for slow rules is loaded after the guards of the event have answered, even if a guard failed", async () => {
  const said: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const guards = new WatchedExecutor({
    type: "wasm",
    run: () =>
      new Promise((resolve, reject) =>
        ends.push((error) => {
          said.push("guard");
          error === undefined ? resolve(DONE) : reject(error);
        }),
      ),
    close: async () => {},
  });
  const load = async (): Promise<Executor> => {
    said.push("loaded");
    return { type: "model", run: async () => DONE, close: async () => {} };
  };
  const judge = new LazyExecutor("model", load, () => guards.settled());
  const options = { signal: new Stop(), timeLeftMs: 1_000 };
  // The judge is the first rule.
  const answer = judge.run(makeRule(), makeEvent("PreToolUse"), options);
  const guarded = Promise.allSettled([
    guards.run(makeRule(), makeEvent("PreToolUse"), options),
    guards.run(makeRule(), makeEvent("PreToolUse"), options),
  ]);
  await new Promise((next) => setImmediate(() => setImmediate(next)));
  for (const [index, end] of ends.entries()) end(index === 0 ? new Error("a defect") : undefined);
  expect(await answer).toBe(DONE);
  expect((await guarded).map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(said).toEqual(["guard", "guard", "loaded"]);
});
