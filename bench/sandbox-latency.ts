import createPlugin from "@extism/extism";
import { createEngine, type Engine } from "hookbox";
import { Piscina } from "piscina";
import { type Case, type Figure, measure } from "./blocks.ts";
import type { Goal, Scope } from "./scope.ts";
import { assemble, fileOf } from "./small-guards.ts";

/** Measures the parts of one decision of a guard, and the cost of other ways to run the guard. */

const PAYLOAD = {
  session_id: "bench",
  cwd: "/home/me/project",
  tool_name: "Bash",
  tool_input: { command: "rm -rf /", description: "remove everything" },
};
const DENY =
  '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}';

async function engineWith(hook: object): Promise<Engine> {
  const engine = await createEngine({
    config: { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } },
    sandbox: { threads: 1 },
    cacheDir: false,
  });
  const verdict = await engine.dispatch("PreToolUse", PAYLOAD);
  if (verdict.decision !== "deny" || verdict.rules[0]?.failure != null) throw new Error(JSON.stringify(verdict));
  return engine;
}

async function run(rounds: number): Promise<readonly Figure[]> {
  const small = assemble(new URL("guests/denies.wat", import.meta.url));
  const unrestorable = assemble(new URL("guests/denies-and-cannot-be-restored.wat", import.meta.url));
  const pool = new Piscina({
    filename: new URL("./echo-worker.mjs", import.meta.url).href,
    minThreads: 1,
    maxThreads: 1,
  });
  const engines = {
    restored: await engineWith({ type: "wasm", module: fileOf("denies.wasm", small) }),
    "shell-guard": await engineWith({ type: "wasm", module: "builtin:shell-guard" }),
    fresh: await engineWith({ type: "wasm", module: fileOf("unrestorable.wasm", unrestorable) }),
    sh: await engineWith({ type: "command", command: `cat >/dev/null; echo '${DENY}'` }),
  };
  const background = await createPlugin(
    { wasm: [{ data: small }] },
    { runInWorker: true, useWasi: false, allowedPaths: {}, allowedHosts: [], config: {} },
  );
  const input = JSON.stringify(PAYLOAD);
  const ask = (name: keyof typeof engines, perBlock: number): Case => ({
    name,
    perBlock,
    run: () => engines[name].dispatch("PreToolUse", PAYLOAD),
  });
  try {
    return await measure(
      [
        { name: "piscina", perBlock: 400, run: () => pool.run({ input }) },
        ask("restored", 400),
        ask("shell-guard", 400),
        ask("fresh", 200),
        { name: "runInWorker", perBlock: 20, run: () => background.call("handle", input) },
        ask("sh", 20),
      ],
      rounds,
    );
  } finally {
    await Promise.all(Object.values(engines).map((engine) => engine.close()));
    await pool.destroy();
    await background.close();
  }
}

const GOALS: readonly Goal[] = [
  { name: "a decision with restored state", of: "restored", against: "piscina", atMost: 2.5 },
  { name: "a decision with restored state", of: "restored", against: "piscina", atMost: 3.5, quantile: "p99" },
];

export const sandboxLatency: Scope = {
  name: "sandbox-latency",
  question: "one decision of a guard: state restored, a fresh instance, Extism's own worker, a shell",
  floor: "piscina",
  run,
  goals: GOALS,
};
