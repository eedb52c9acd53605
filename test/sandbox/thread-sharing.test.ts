import { setTimeout as sleep } from "node:timers/promises";
import { Piscina } from "piscina";
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createEngine } from "../../src/engine.ts";
import { type SharedThreads, shareThreads } from "../../src/sandbox/index.ts";
import type { GuestPool } from "../../src/sandbox/pool/guest-pool.ts";
import { joinThreads } from "../../src/sandbox/pool/thread-sharing.ts";
import { deadline } from "../executors/wasm/wasm-rule.ts";
import { makeFolder } from "../helpers/folders.ts";
import { answering, guest } from "../helpers/guests.ts";
import { guestTask } from "./guest-task.ts";
import { admitted } from "./module-requirements.ts";

/** Threads that several engines share: who waits for whom. */

let looping: Awaited<ReturnType<typeof admitted>>;
let denying: Awaited<ReturnType<typeof admitted>>;
beforeAll(async () => {
  looping = await admitted(guest("allows-then-loops-for-ever"));
  denying = await admitted(guest("denies"));
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function threadsOf(count: number): Promise<SharedThreads> {
  const threads = await shareThreads(count);
  onTestFinished(async () => void (await threads.close(5_000)));
  return threads;
}

const deny = (member: GuestPool): Promise<unknown> => member.run(guestTask(denying), deadline(30_000).signal);

/** Starts calls that run until `end`. */
function occupy(member: GuestPool, count: number): { readonly end: () => Promise<void> } {
  const { signal, pass } = deadline();
  const calls = Array.from({ length: count }, () => member.run(guestTask(looping, { fuel: 1e15 }), signal));
  const ended = Promise.allSettled(calls);
  return {
    end: async () => {
      pass();
      await ended;
    },
  };
}

test("an engine gets a thread while looping guards of two other engines keep all threads", async () => {
  const threads = await threadsOf(2);
  const [one, two, three] = [1, 2, 3].map(() => joinThreads(threads, 256)) as [GuestPool, GuestPool, GuestPool];
  await deny(three);
  const loops = [occupy(one, 4), occupy(two, 4)];
  await sleep(100);
  for (let i = 0; i < 5; i++) expect(await deny(three)).toMatchObject({ kind: "answered" });
  for (const { end } of loops) await end();
  expect(await deny(one)).toMatchObject({ kind: "answered" });
});

test("engines with waiting calls take turns", async () => {
  const threads = await threadsOf(1);
  const [many, few] = [joinThreads(threads, 256), joinThreads(threads, 256)];
  await deny(many);
  const order: string[] = [];
  await Promise.all([
    ...Array.from({ length: 20 }, () => deny(many).then(() => order.push("many"))),
    ...Array.from({ length: 3 }, () => deny(few).then(() => order.push("few"))),
  ]);
  expect(order.lastIndexOf("few")).toBeLessThan(8);
});

test("an engine that is closed ends its own calls, waiting or running, and no others", async () => {
  const threads = await threadsOf(1);
  const [one, two] = [joinThreads(threads, 256), joinThreads(threads, 256)];
  await deny(one);
  const calls = [1, 2].map(() => one.run(guestTask(looping, { fuel: 1e15 }), deadline().signal));
  const ended = Promise.allSettled(calls);
  const other = deny(two);
  await one.close();
  expect((await ended).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await other).toMatchObject({ kind: "answered" });
  await expect(deny(one)).rejects.toThrow("the pool is closed");
  expect(await deny(two)).toMatchObject({ kind: "answered" });
});

test("an engine's queue has a limit, which other engines do not use up", async () => {
  const threads = await threadsOf(1);
  const [one, two] = [joinThreads(threads, 1), joinThreads(threads, 1)];
  await deny(one);
  const { end } = occupy(one, 2);
  await expect(deny(one)).rejects.toThrow("1 calls are waiting; the limit is 1");
  const other = deny(two);
  await end();
  expect(await other).toMatchObject({ kind: "answered" });
});

test("engines have their own modules, configs and answers in the same two threads", async () => {
  const spy = vi.spyOn(Piscina.prototype, "run");
  const threads = await threadsOf(2);
  const engines = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const reply = JSON.stringify({
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: `of engine ${index}`,
        },
      });
      const cwd = makeFolder({ "guard.wasm": Buffer.from(answering(reply)) });
      const config = {
        hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "wasm", module: "./guard.wasm" }] }] },
      };
      const engine = await createEngine({ cwd, config, sandbox: { threads }, cacheDir: false });
      onTestFinished(() => engine.close());
      return engine;
    }),
  );
  const payload = { hook_event_name: "PreToolUse", session_id: "s", tool_name: "Bash", tool_input: { command: "ls" } };
  for (let round = 0; round < 3; round++) {
    const verdicts = await Promise.all(engines.map((engine) => engine.dispatch("PreToolUse", payload)));
    expect(verdicts.map(({ reason }) => reason)).toEqual(
      engines.map((_, index) => expect.stringContaining(`of engine ${index}`)),
    );
  }
  const pools = new Set(spy.mock.contexts as unknown as Piscina[]);
  // The other pool is the reserve, if the machine was slow.
  expect([...pools][0]?.threads).toHaveLength(2);
  expect(pools.size).toBeLessThanOrEqual(2);
});
