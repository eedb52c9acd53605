import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, expect, onTestFinished, test, vi } from "vitest";
import { createEngine, type Engine, type Verdict } from "../../src/index.ts";
import { guest } from "../helpers/guests.ts";
import { Random } from "../helpers/random.ts";
import { SEED } from "../helpers/seed.ts";
import { times } from "../helpers/tier.ts";
import { ThreadVictims } from "./victims.ts";

/** Guards' threads die at any time, under load: no gate opens, no call is lost, and the next ones are served. */

vi.setConfig({ testTimeout: 120_000 });

const THREADS = 2;
const IN_FLIGHT = 8;
/** The minimum; the test goes on until enough has happened, because a busy machine takes longer. */
const CHAOS_MS = times(1_500, 700);
const KILLED = times(11, 5);
/** Never reached: a call that settles later than this was stuck. */
const TIMEOUT_MS = 60_000;
/** How much longer a busy machine may take than the slowest of a few fresh starts. */
const PATIENCE = 10;

const folder = mkdtempSync(join(tmpdir(), "hookbox-chaos-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  vi.restoreAllMocks();
});

/** Tools, each with a guard of its own, and the guard's answer without faults. */
const GUARDS = {
  denies: "deny",
  asks: "ask",
  abstains: "none",
  allows: "none",
  "remembers-in-a-table": "none",
} as const;
type Tool = keyof typeof GUARDS;
const TOOLS = Object.keys(GUARDS) as Tool[];

async function open(): Promise<Engine> {
  const groups = TOOLS.map((tool) => {
    const module = join(folder, `${tool}.wasm`);
    writeFileSync(module, guest(tool));
    return { matcher: tool, hooks: [{ type: "wasm", name: `guard of ${tool}`, module, timeoutMs: TIMEOUT_MS }] };
  });
  const engine = await createEngine({ config: { hooks: { PreToolUse: groups } }, sandbox: { threads: THREADS } });
  onTestFinished(() => engine.close());
  expect(engine.problems).toEqual([]);
  return engine;
}

const ask = (engine: Engine, tool: Tool): Promise<Verdict> =>
  engine.dispatch("PreToolUse", { tool_name: tool, tool_input: {} });

/** Milliseconds until a new pool's first answer: the slowest of a few. */
async function freshStart(): Promise<number> {
  let slowest = 0;
  for (let round = 0; round < 3; round += 1) {
    const begun = performance.now();
    const engine = await open();
    await ask(engine, "denies");
    slowest = Math.max(slowest, performance.now() - begun);
    await engine.close();
  }
  return slowest;
}

/** Checks for one report by one rule, with its guard's answer or with the failure to run it. */
function judge(tool: Tool, verdict: Verdict): "answered" | "failed" {
  expect(verdict.decision).not.toBe("allow");
  expect(verdict.rules).toHaveLength(1);
  const report = verdict.rules[0]!;
  expect(report.rule).toBe(`guard of ${tool}`);
  if (report.status !== "failed") {
    expect(verdict.decision).toBe(GUARDS[tool]);
    return "answered";
  }
  expect(report.failure).toMatchObject({ kind: "unavailable" });
  expect(verdict.decision).toBe("deny");
  expect(verdict.reason).toContain(`guard of ${tool}`);
  return "failed";
}

test("threads that are killed under load open no gate and lose no call", async () => {
  const fresh = await freshStart();
  console.info(`seed ${SEED}, a fresh start takes ${fresh.toFixed(0)} ms`);
  const random = new Random(SEED);
  const engine = await open();
  const victims = new ThreadVictims();
  for (const tool of TOOLS) expect(judge(tool, await ask(engine, tool))).toBe("answered");

  const end = performance.now() + CHAOS_MS;
  const goesOn = (): boolean =>
    performance.now() < end || seen.killed < KILLED || Math.min(seen.failed, seen.answered) === 0;
  const seen = { asked: 0, answered: 0, failed: 0, slowestMs: 0, killed: 0 };
  const load = Array.from({ length: IN_FLIGHT }, async () => {
    while (goesOn()) {
      const tool = random.pick(TOOLS);
      const begun = performance.now();
      seen.asked += 1;
      const verdict = await ask(engine, tool);
      seen[judge(tool, verdict)] += 1;
      seen.slowestMs = Math.max(seen.slowestMs, performance.now() - begun);
      // An engine that refuses immediately would otherwise be asked a million times, and nothing else would run.
      await sleep(random.below(3));
    }
  });
  const killer = async (): Promise<void> => {
    while (goesOn()) {
      // Mostly while a thread works, sometimes while it starts, sometimes all of them.
      await sleep(random.pick([1, 5, 20, 60, 120, Math.round(fresh)]));
      seen.killed += victims.kill((threads) => {
        if (threads.length === 0) return [];
        return random.chance(4) ? threads : [random.pick(threads)];
      });
    }
  };
  await Promise.all([...load, killer()]);

  console.info(JSON.stringify(seen));
  expect(seen.answered + seen.failed).toBe(seen.asked);
  expect(seen.killed).toBeGreaterThanOrEqual(KILLED);
  expect(seen.failed).toBeGreaterThan(0);
  expect(seen.answered).toBeGreaterThan(0);
  // Queued behind others, each of which may have to wait for a thread: still far from a deadline.
  expect(seen.slowestMs).toBeLessThan(fresh * PATIENCE * 3);

  await victims.dead();
  // Threads that died before they were ready are replaced when calls need them.
  await vi.waitFor(
    async () => {
      const verdicts = await Promise.all(TOOLS.map(async (tool) => judge(tool, await ask(engine, tool))));
      expect(verdicts).toEqual(TOOLS.map(() => "answered"));
      expect(victims.threads).toHaveLength(THREADS);
    },
    { timeout: fresh * PATIENCE },
  );
});

test("after every thread is killed at the same time, the next answer comes as soon as from a new pool", async () => {
  const fresh = await freshStart();
  const engine = await open();
  const victims = new ThreadVictims();
  await ask(engine, "denies");
  const waits: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const flying = Promise.all(TOOLS.map(async (tool) => judge(tool, await ask(engine, tool))));
    expect(victims.kill((threads) => threads)).toBeGreaterThan(0);
    const begun = performance.now();
    while (judge("denies", await ask(engine, "denies")) === "failed") await sleep(1);
    waits.push(performance.now() - begun);
    await flying;
  }
  waits.sort((a, b) => a - b);
  console.info(
    `after a kill: ${waits.map((ms) => ms.toFixed(0)).join(", ")} ms; a fresh start: ${fresh.toFixed(0)} ms`,
  );
  expect(waits[Math.floor(waits.length / 2)]).toBeLessThan(Math.max(100, fresh * 4));
  expect(waits.at(-1)).toBeLessThan(fresh * PATIENCE);
});
