import { createEngine, type Engine } from "hookbox";
import { Piscina } from "piscina";
import { type Case, type Figure, measure } from "./blocks.ts";
import type { Goal, Scope } from "./scope.ts";

/** Measures one decision, compared with starting a process for each call. */

const DENY = JSON.stringify({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" },
});

const NODE_HOOK = `process.stdin.resume().on("end", () => console.log(${JSON.stringify(DENY)}))`;
const PYTHON_HOOK = `import sys; sys.stdin.read(); print(${JSON.stringify(DENY)})`;

const PAYLOAD = {
  session_id: "bench",
  cwd: process.cwd(),
  tool_name: "Bash",
  tool_input: { command: "rm -rf /", description: "remove everything" },
};

const UNRELATED_RULES = 10_000;

async function engineWith(...hooks: object[]): Promise<Engine> {
  const engine = await createEngine({
    config: { hooks: { PreToolUse: [{ matcher: "Bash", hooks }] } },
    sandbox: { threads: 1 },
  });
  const verdict = await engine.dispatch("PreToolUse", PAYLOAD);
  if (verdict.decision !== "deny") throw new Error(`expected a deny: ${JSON.stringify(verdict)}`);
  return engine;
}

async function engineWithUnrelatedRules(): Promise<Engine> {
  const hooks = [{ type: "command", command: "false" }];
  const groups = Array.from({ length: UNRELATED_RULES }, (_, index) => ({
    matcher: index % 2 === 0 ? `mcp__server${index}__tool` : `^mcp__server${index}__.*$`,
    hooks,
  }));
  return createEngine({ config: { hooks: { PreToolUse: groups } } });
}

async function run(rounds: number): Promise<readonly Figure[]> {
  const pool = new Piscina({
    filename: new URL("./echo-worker.mjs", import.meta.url).href,
    minThreads: 1,
    maxThreads: 1,
  });
  const command = (line: string): object => ({ type: "command", command: line });
  const exec = (file: string, ...args: string[]): object => ({ type: "command", command: file, args });
  const engines = {
    wasm: await engineWith({ type: "wasm", module: "builtin:shell-guard" }),
    sh: await engineWith(command(`cat >/dev/null; echo '${DENY}'`)),
    node: await engineWith(exec(process.execPath, "-e", NODE_HOOK)),
    python3: await engineWith(exec("python3", "-c", PYTHON_HOOK)),
  };
  const unrelated = await engineWithUnrelatedRules();
  const task = { input: JSON.stringify(PAYLOAD) };
  const ask = (name: keyof typeof engines, perBlock: number): Case => ({
    name,
    perBlock,
    run: () => engines[name].dispatch("PreToolUse", PAYLOAD),
  });

  try {
    return await measure(
      [
        { name: "piscina", perBlock: 400, run: () => pool.run(task) },
        { name: "no-match", perBlock: 400, run: () => unrelated.dispatch("PreToolUse", PAYLOAD) },
        ask("wasm", 400),
        ask("sh", 20),
        ask("node", 4),
        ask("python3", 4),
      ],
      rounds,
    );
  } finally {
    await Promise.all([...Object.values(engines), unrelated].map((engine) => engine.close()));
    await pool.destroy();
  }
}

const GOALS: readonly Goal[] = [
  { name: `${UNRELATED_RULES} rules of which none matches`, of: "no-match", against: "piscina", atMost: 1 / 3 },
  { name: "a guard compared with an sh hook", of: "wasm", against: "sh", atMost: 1 / 15 },
  { name: "a guard compared with a node hook", of: "wasm", against: "node", atMost: 1 / 250 },
];

export const dispatchLatency: Scope = {
  name: "dispatch-latency",
  question: "one decision: a guard, a shell, node and python process, and a bare worker round trip",
  floor: "piscina",
  run,
  goals: GOALS,
};
