import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { createEngine, type Engine, type Verdict } from "../../src/index.ts";
import { guest } from "../helpers/guests.ts";
import { Random } from "../helpers/random.ts";
import { SEED } from "../helpers/seed.ts";
import { times } from "../helpers/tier.ts";
import { killProcess, sandboxPids } from "./victims.ts";

/**
 * Sandbox processes are killed at any time, under load: no gate opens, no call is lost, and the next ones are served.
 */

vi.setConfig({ testTimeout: 120_000 });

const THREADS = 2;
const IN_FLIGHT = 6;
/** The minimum; the test goes on until enough has happened, because a busy machine takes longer. */
const CHAOS_MS = times(1_500, 600);
const KILLED = times(6, 3);
/** Never reached: a call that settles later than this was stuck. */
const TIMEOUT_MS = 60_000;
/** A wait that is shorter counts as none, even if a fresh start is faster. */
const BACK_WITHIN_MS = 100;

const GUARDS = { denies: "deny", asks: "ask", abstains: "none", "remembers-in-a-table": "none" } as const;
type Tool = keyof typeof GUARDS;
const TOOLS = Object.keys(GUARDS) as Tool[];

const folder = mkdtempSync(join(tmpdir(), "hookbox-chaos-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function open(): Promise<Engine> {
  const groups = TOOLS.map((tool) => {
    const module = join(folder, `${tool}.wasm`);
    writeFileSync(module, guest(tool));
    return { matcher: tool, hooks: [{ type: "wasm", name: `guard of ${tool}`, module, timeoutMs: TIMEOUT_MS }] };
  });
  const engine = await createEngine({
    config: { hooks: { PreToolUse: groups } },
    sandbox: { boundary: "process", threads: THREADS },
    cacheDir: false,
  });
  onTestFinished(() => engine.close());
  expect(engine.problems).toEqual([]);
  return engine;
}

const ask = (engine: Engine, tool: Tool): Promise<Verdict> =>
  engine.dispatch("PreToolUse", { tool_name: tool, tool_input: {} });

function judge(tool: Tool, verdict: Verdict): "answered" | "failed" {
  expect(verdict.decision).not.toBe("allow");
  expect(verdict.rules).toHaveLength(1);
  const report = verdict.rules[0]!;
  if (report.status !== "failed") {
    expect(verdict.decision).toBe(GUARDS[tool]);
    return "answered";
  }
  expect(report.failure).toMatchObject({ kind: "unavailable" });
  expect(verdict.decision).toBe("deny");
  expect(verdict.reason).toContain(`guard of ${tool}`);
  return "failed";
}

test.runIf(process.platform === "linux")(
  "processes that are killed under load open no gate and lose no call",
  async () => {
    const random = new Random(SEED);
    const engine = await open();
    for (const tool of TOOLS) expect(judge(tool, await ask(engine, tool))).toBe("answered");
    const end = performance.now() + CHAOS_MS;
    const goesOn = (): boolean => performance.now() < end || seen.killed < KILLED || seen.answered === 0;
    const seen = { asked: 0, answered: 0, failed: 0, slowestMs: 0, killed: 0 };
    const load = Array.from({ length: IN_FLIGHT }, async () => {
      while (goesOn()) {
        const tool = random.pick(TOOLS);
        const begun = performance.now();
        seen.asked += 1;
        seen[judge(tool, await ask(engine, tool))] += 1;
        seen.slowestMs = Math.max(seen.slowestMs, performance.now() - begun);
        await sleep(random.below(3));
      }
    });
    const killer = async (): Promise<void> => {
      while (goesOn()) {
        await sleep(random.pick([5, 20, 60, 120, 250]));
        const pids = sandboxPids();
        const chosen = pids.length === 0 ? [] : random.chance(4) ? pids : [random.pick(pids)];
        for (const pid of chosen) killProcess(pid);
        seen.killed += chosen.length;
      }
    };
    await Promise.all([...load, killer()]);
    console.info(`seed ${SEED}: ${JSON.stringify(seen)}`);
    expect(seen.answered + seen.failed).toBe(seen.asked);
    expect(seen.killed).toBeGreaterThanOrEqual(KILLED);
    expect(seen.answered).toBeGreaterThan(0);
    expect(seen.slowestMs).toBeLessThan(TIMEOUT_MS / 2);
    await vi.waitFor(
      async () => {
        expect(judge("denies", await ask(engine, "denies"))).toBe("answered");
        expect(sandboxPids()).toHaveLength(THREADS + 1);
      },
      { timeout: 30_000 },
    );
    await engine.close();
    expect(sandboxPids()).toEqual([]);
  },
);

test.runIf(process.platform === "linux")(
  "after a kill the next answer takes no longer than a fresh start",
  async () => {
    const begunAt = performance.now();
    const engine = await open();
    await ask(engine, "denies");
    const freshMs = performance.now() - begunAt;
    const waits: number[] = [];
    for (let round = 0; round < times(8, 4); round += 1) {
      await ask(engine, "denies");
      await vi.waitFor(() => expect(sandboxPids()).toHaveLength(THREADS + 1), { timeout: 30_000 });
      await sleep(300);
      const [first, second] = sandboxPids();
      for (const pid of [first, second]) if (pid !== undefined) killProcess(pid);
      const begun = performance.now();
      // A call without a request to the outside is repeated, if a process is left.
      while (judge("denies", await ask(engine, "denies")) === "failed") await sleep(1);
      waits.push(performance.now() - begun);
    }
    waits.sort((a, b) => a - b);
    console.info(
      `after a kill: ${waits.map((ms) => ms.toFixed(0)).join(", ")} ms; a fresh start: ${freshMs.toFixed(0)} ms`,
    );
    expect(waits[Math.floor(waits.length / 2)]).toBeLessThan(Math.max(BACK_WITHIN_MS, freshMs));
  },
);
