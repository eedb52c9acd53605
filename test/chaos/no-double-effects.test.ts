import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { count, countingRule } from "../executors/wasm/counting-guest.ts";
import { openExecutor } from "../executors/wasm/wasm-rule.ts";
import { Random } from "../helpers/random.ts";
import { SEED } from "../helpers/seed.ts";
import { times } from "../helpers/tier.ts";
import { killProcess, sandboxPids, ThreadVictims } from "./victims.ts";

/**
 * The runner of a guard that counts its calls is killed at any time, under load. A call may be repeated elsewhere, but
 * counts once if it was answered, and otherwise not at all: in each session the answers are 1, 2, 3 and so on.
 */

vi.setConfig({ testTimeout: 120_000 });
afterEach(() => {
  vi.restoreAllMocks();
});

/** The minimum; the test goes on until enough has happened, because a busy machine takes longer. */
const CHAOS_MS = times(2_000, 700);
const KILLED = times(8, 4);
const SESSIONS = ["a", "b", "c"];
const CALLS_PER_SESSION = 3;

/** One kill at a time, and sometimes all at the same time. */
function killerOf(boundary: "thread" | "process", random: Random): () => number {
  const some = <Victim>(all: readonly Victim[]): readonly Victim[] => {
    if (all.length === 0) return [];
    return random.chance(5) ? all : [random.pick(all)];
  };
  if (boundary === "thread") {
    const victims = new ThreadVictims();
    return () => victims.kill((threads) => [...some(threads)]);
  }
  return () => {
    const chosen = some(sandboxPids());
    for (const pid of chosen) killProcess(pid);
    return chosen.length;
  };
}

const BOUNDARIES = process.platform === "linux" ? (["thread", "process"] as const) : (["thread"] as const);

test.each(BOUNDARIES)("boundary %s: a call that was answered has counted once, and no other has", async (boundary) => {
  const random = new Random(SEED);
  const kill = killerOf(boundary, random);
  const executor = openExecutor({ boundary, threads: 2 });
  const rules = [countingRule(), countingRule()];
  const reached = new Map<string, number[]>();
  const seen = { answered: 0, failed: 0, killed: 0 };
  // A runner that is killed before it has started would never answer.
  const begun = performance.now();
  await count(countingRule(), "first", executor);
  const freshMs = performance.now() - begun;
  const end = performance.now() + CHAOS_MS;
  const goesOn = (): boolean =>
    performance.now() < end || seen.killed < KILLED || [...reached.values()].some((counts) => counts.length === 0);
  const callers = rules.flatMap((rule) =>
    SESSIONS.flatMap((session) =>
      Array.from({ length: CALLS_PER_SESSION }, async () => {
        const counts = reached.get(`${rule.id} ${session}`) ?? [];
        reached.set(`${rule.id} ${session}`, counts);
        while (goesOn()) {
          try {
            counts.push(await count(rule, session, executor));
            seen.answered += 1;
          } catch (error) {
            expect((error as Error).message).toMatch(/^expected a reply, got unavailable: /);
            seen.failed += 1;
          }
          await sleep(random.below(4));
        }
      }),
    ),
  );
  const killer = async (): Promise<void> => {
    while (goesOn()) {
      await sleep(random.pick([2, 30, 60, freshMs / 2, freshMs]));
      seen.killed += kill();
    }
  };
  await Promise.all([...callers, killer()]);
  console.info(`${boundary}, seed ${SEED}: ${JSON.stringify(seen)}`);
  expect(seen.killed).toBeGreaterThanOrEqual(KILLED);
  expect(reached.size).toBe(rules.length * SESSIONS.length);
  for (const counts of reached.values()) {
    expect(counts.length).toBeGreaterThan(0);
    expect([...counts].sort((a, b) => a - b)).toEqual(counts.map((_, index) => index + 1));
  }
});
