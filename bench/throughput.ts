import { createEngine } from "hookbox";
import { Piscina } from "piscina";
import { type Case, type Figure, measure } from "./blocks.ts";
import type { Scope } from "./scope.ts";

/** Measures decisions per second. Times are per decision, with several decisions in flight on two threads. */

const PAYLOAD = {
  session_id: "bench",
  cwd: "/home/me/project",
  tool_name: "Bash",
  tool_input: { command: "git status" },
};
const THREADS = 2;
const OPERATIONS = 240;

/** Returns a case in which one measured run makes all concurrent decisions. */
function inFlight(count: number, name: string, one: () => Promise<unknown>): Case {
  return {
    name: `${name} x${count}`,
    perBlock: OPERATIONS / count,
    operationsPerRun: count,
    run: () => Promise.all(Array.from({ length: count }, one)),
  };
}

async function run(rounds: number): Promise<readonly Figure[]> {
  const filename = new URL("./echo-worker.mjs", import.meta.url).href;
  const pool = new Piscina({ filename, minThreads: THREADS, maxThreads: THREADS });
  const engine = await createEngine({
    config: { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "wasm", module: "builtin:shell-guard" }] }] } },
    sandbox: { threads: THREADS },
    cacheDir: false,
  });
  const task = { input: JSON.stringify(PAYLOAD) };
  const counts = [1, 2, 4];
  try {
    return await measure(
      [
        ...counts.map((count) => inFlight(count, "piscina", () => pool.run(task))),
        ...counts.map((count) => inFlight(count, "guard", () => engine.dispatch("PreToolUse", PAYLOAD))),
      ],
      rounds,
    );
  } finally {
    await engine.close();
    await pool.destroy();
  }
}

export const throughput: Scope = {
  name: "throughput",
  question: `microseconds per decision with 1, 2 and 4 in flight on ${THREADS} threads`,
  floor: "piscina x1",
  run,
  goals: [],
};
