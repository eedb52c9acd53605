import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createEngine, type Engine } from "hookbox";
import { Piscina } from "piscina";
import { buildGuard } from "../dist/authoring/build.js";
import { type Case, type Facts, type Figure, measure } from "./blocks.ts";
import type { Goal, Scope } from "./scope.ts";
import { fileOf, scratchFolder } from "./small-guards.ts";

/** Measures the same guard in each language, with the same events. */

const LANGUAGES = ["c", "rust", "typescript"] as const;
type Language = (typeof LANGUAGES)[number];

const PAYLOAD = {
  session_id: "bench",
  cwd: "/home/me/project",
  tool_name: "Bash",
  tool_input: { command: "cd packages/site && npm run deploy -- --to production", description: "publish the site" },
};

interface Guard {
  readonly language: Language;
  readonly file: string;
  readonly sizeBytes: number;
}

/**
 * Returns the folder of a language. Rust is built in another folder, because cargo would write to the folder of the
 * sources.
 */
async function folderOf(language: Language): Promise<string> {
  if (language !== "rust") return fileURLToPath(new URL(`../guest-sdk/${language}/example/`, import.meta.url));
  process.env["XDG_CACHE_HOME"] = scratchFolder;
  const { copyRustExample, useCargo } = await import("../test/guest-sdk/toolchains.ts");
  useCargo();
  return copyRustExample(join(scratchFolder, "rust-example"));
}

async function build(language: Language): Promise<Guard | undefined> {
  try {
    const { wasm } = await buildGuard(await folderOf(language));
    return { language, file: fileOf(`${language}.wasm`, Uint8Array.from(wasm)), sizeBytes: wasm.byteLength };
  } catch (error) {
    // A machine may not have every compiler. Languages without a compiler are reported; the goals need C and
    // TypeScript.
    console.error(`${language} is left out: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function load({ file }: Guard): Promise<Engine> {
  return createEngine({
    config: { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "wasm", module: file }] }] } },
    sandbox: { threads: 1 },
    cacheDir: false,
  });
}

async function facts(guard: Guard, engine: Engine): Promise<Facts> {
  const verdict = await engine.dispatch("PreToolUse", PAYLOAD);
  const receipt = verdict.rules[0]?.receipt;
  if (verdict.decision !== "deny" || receipt?.fuel === undefined) throw new Error(JSON.stringify(verdict));
  return { sizeBytes: guard.sizeBytes, fuel: receipt.fuel, memoryBytes: receipt.memoryBytes ?? 0 };
}

/** Returns the cases: loading, the first call after loading, and all other calls. */
async function casesOf(guard: Guard, engine: Engine): Promise<readonly Case[]> {
  const { language } = guard;
  let fresh: Engine | undefined;
  return [
    {
      name: language,
      perBlock: 400,
      facts: await facts(guard, engine),
      run: () => engine.dispatch("PreToolUse", PAYLOAD),
    },
    {
      name: `${language} first`,
      perBlock: 1,
      before: async () => {
        await fresh?.close();
        fresh = await load(guard);
      },
      run: () => fresh?.dispatch("PreToolUse", PAYLOAD),
      after: () => fresh?.close(),
    },
    { name: `${language} load`, perBlock: 1, run: async () => await (await load(guard)).close() },
  ];
}

async function run(rounds: number): Promise<readonly Figure[]> {
  const guards: Guard[] = [];
  for (const language of LANGUAGES) {
    const guard = await build(language);
    if (guard !== undefined) guards.push(guard);
  }
  const pool = new Piscina({
    filename: new URL("./echo-worker.mjs", import.meta.url).href,
    minThreads: 1,
    maxThreads: 1,
  });
  const input = JSON.stringify(PAYLOAD);
  const engines = await Promise.all(guards.map(load));
  try {
    const cases = await Promise.all(guards.map((guard, at) => casesOf(guard, engines[at] as Engine)));
    return await measure([{ name: "piscina", perBlock: 400, run: () => pool.run({ input }) }, ...cases.flat()], rounds);
  } finally {
    await Promise.all(engines.map((engine) => engine.close()));
    await pool.destroy();
  }
}

const GOALS: readonly Goal[] = [
  { name: "a guard in TypeScript", of: "typescript", against: "c", atMost: 4 },
  { name: "its first call", of: "typescript first", against: "typescript", atMost: 10 },
];

export const guestLanguages: Scope = {
  name: "guest-languages",
  question: "the same guard in each language: a call, the first call after loading, loading",
  floor: "piscina",
  run,
  goals: GOALS,
};
