import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkCommand } from "cc-safety-net/api";
import { createEngine, type Engine, type JsonObject } from "hookbox";
import { Piscina } from "piscina";
import { buildGuard } from "../dist/authoring/build.js";
import { type Case, type Figure, measure } from "./blocks.ts";
import type { Goal, Scope } from "./scope.ts";
import { fileOf, scratchFolder } from "./small-guards.ts";

/** Measures a decision of a guard in TypeScript, a bare round trip, a bare shell hook, and another guard. */

/** A command without metacharacters, and one of everyday length. */
const PLAIN = "npm test";
const ORDINARY = "cd packages/api && npm run build -- --mode production && git status";
const TEXT = "const answer = compute(value);\n".repeat(330);
/** The time between two calls of an agent. */
const PACE_MS = 40;
const COMMAND = "cat >/dev/null; echo '{}'";

const bash = (command: string): JsonObject => ({
  session_id: "bench",
  cwd: scratchFolder,
  tool_name: "Bash",
  tool_input: { command },
});
const write = (content: string): JsonObject => ({
  session_id: "bench",
  cwd: scratchFolder,
  tool_name: "Write",
  tool_input: { file_path: join(scratchFolder, "a.ts"), content },
});

async function emptyGuard(): Promise<string> {
  const folder = join(scratchFolder, "empty");
  mkdirSync(folder, { recursive: true });
  const source = `import { defineGuard } from "hookbox/guest";
export default defineGuard({ name: "empty", version: "1.0.0", events: ["PreToolUse"], handle: () => undefined });
`;
  writeFileSync(join(folder, "guard.ts"), source);
  const { wasm } = await buildGuard(folder);
  return fileOf("empty.wasm", Uint8Array.from(wasm));
}

async function engineWith(hook: object): Promise<Engine> {
  const engine = await createEngine({
    config: { hooks: { PreToolUse: [{ hooks: [hook] }] } },
    sandbox: { threads: 1 },
    cacheDir: false,
  });
  const verdict = await engine.dispatch("PreToolUse", bash(PLAIN));
  if (verdict.rules[0]?.failure != null) throw new Error(JSON.stringify(verdict));
  return engine;
}

async function run(rounds: number): Promise<readonly Figure[]> {
  const filename = new URL("./echo-worker.mjs", import.meta.url).href;
  const pool = new Piscina({ filename, minThreads: 1, maxThreads: 1 });
  const engines = {
    empty: await engineWith({ type: "wasm", module: await emptyGuard() }),
    shell: await engineWith({ type: "wasm", module: "builtin:shell-guard" }),
    secret: await engineWith({ type: "wasm", module: "builtin:secret-guard" }),
    sh: await engineWith({ type: "command", command: COMMAND }),
  };
  const task = { input: JSON.stringify(bash(PLAIN)) };
  const judge = (name: string, engine: keyof typeof engines, payload: JsonObject, perBlock = 200): Case => ({
    name,
    perBlock,
    run: () => engines[engine].dispatch("PreToolUse", payload),
  });
  const paced = (one: Case): Case => ({
    ...one,
    name: `${one.name} paced`,
    perBlock: 10,
    pause: () => sleep(PACE_MS),
  });
  const many = (name: string, one: () => Promise<unknown>): Case => ({
    name,
    perBlock: 50,
    operationsPerRun: 4,
    run: () => Promise.all(Array.from({ length: 4 }, one)),
  });
  const piscina: Case = { name: "piscina", perBlock: 400, run: () => pool.run(task) };
  const plain = judge("shell-guard plain", "shell", bash(PLAIN));
  const ordinary = judge("shell-guard", "shell", bash(ORDINARY));
  const sh = judge("sh", "sh", bash(ORDINARY), 20);
  const safetyNet = {
    name: "cc-safety-net",
    perBlock: 50,
    run: () => checkCommand({ command: ORDINARY, cwd: scratchFolder }),
  };
  try {
    return await measure(
      [
        piscina,
        judge("empty guard", "empty", bash(PLAIN)),
        plain,
        ordinary,
        judge("secret-guard 10 KB", "secret", write(TEXT)),
        sh,
        safetyNet,
        many("piscina x4", () => pool.run(task)),
        many("shell-guard x4", () => engines.shell.dispatch("PreToolUse", bash(PLAIN))),
        ...[piscina, plain, ordinary, sh, safetyNet].map(paced),
      ],
      rounds,
    );
  } finally {
    await Promise.all(Object.values(engines).map((engine) => engine.close()));
    await pool.destroy();
  }
}

const GOALS: readonly Goal[] = [
  { name: "an empty guard in TypeScript", of: "empty guard", against: "piscina", atMost: 6 },
  { name: "a command without metacharacters", of: "shell-guard plain", against: "piscina", atMost: 12 },
  { name: "an ordinary command", of: "shell-guard", against: "sh", atMost: 1 / 10 },
  { name: "an ordinary command", of: "shell-guard", against: "cc-safety-net", atMost: 1 },
  { name: "a text of 10 KB", of: "secret-guard 10 KB", against: "sh", atMost: 1 / 5 },
];

export const guardCost: Scope = {
  name: "guard-cost",
  question: `a decision of a guard in TypeScript, four at once, and one every ${PACE_MS} ms (paced)`,
  floor: "piscina",
  run,
  goals: GOALS,
};
