import { closeSync, fstatSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEngine, type Engine, type JsonObject } from "hookbox";
import { type Figure, measure } from "./blocks.ts";
import type { Goal, Scope } from "./scope.ts";
import { assemble, fileOf, scratchFolder } from "./small-guards.ts";

/**
 * Measures a file that a guard reads, compared with the guard without the file and with reading the file by Node alone.
 */

const PAYLOAD: JsonObject = {
  session_id: "bench",
  cwd: "/home/me/project",
  tool_name: "Bash",
  tool_input: { command: "rm -rf /", description: "remove everything" },
};
const FILE_BYTES = 4_096;

async function engineWith(module: string, path: string, name: string, config: JsonObject): Promise<Engine> {
  const hook = { type: "wasm", module, config, grants: { paths: { [name]: path } } };
  const engine = await createEngine({
    config: { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } },
    sandbox: { threads: 1 },
    cacheDir: false,
  });
  const verdict = await engine.dispatch("PreToolUse", PAYLOAD);
  if (verdict.decision !== "deny" || verdict.rules[0]?.failure != null) throw new Error(JSON.stringify(verdict));
  return engine;
}

/** Reads a file with the fewest calls. */
function readBare(file: string): Buffer {
  const fd = openSync(file, "r");
  try {
    const bytes = Buffer.allocUnsafe(fstatSync(fd).size);
    readSync(fd, bytes);
    return bytes;
  } finally {
    closeSync(fd);
  }
}

async function run(rounds: number): Promise<readonly Figure[]> {
  const file = join(scratchFolder, "policy.json");
  writeFileSync(file, Buffer.alloc(FILE_BYTES, "x"));
  const module = fileOf("reads-a-file.wasm", assemble(new URL("guests/reads-a-file.wat", import.meta.url)));
  const engines = {
    without: await engineWith(module, file, "policy.json", { readfile: "policy.json", dontread: "1" }),
    file: await engineWith(module, file, "policy.json", { readfile: "policy.json" }),
    folder: await engineWith(module, scratchFolder, "folder", { readfile: "folder/policy.json" }),
  };
  const ask = (name: keyof typeof engines): Promise<unknown> => engines[name].dispatch("PreToolUse", PAYLOAD);
  try {
    return await measure(
      [
        { name: "no file", perBlock: 400, run: () => ask("without") },
        { name: "readFileSync", perBlock: 1_000, run: () => readFileSync(file) },
        { name: "open, fstat, read", perBlock: 1_000, run: () => readBare(file) },
        {
          name: "floor",
          perBlock: 400,
          run: async () => {
            await ask("without");
            readFileSync(file);
          },
        },
        { name: "granted file", perBlock: 400, run: () => ask("file") },
        { name: "in a folder", perBlock: 400, run: () => ask("folder") },
      ],
      rounds,
    );
  } finally {
    await Promise.all(Object.values(engines).map((engine) => engine.close()));
  }
}

const GOALS: readonly Goal[] = [
  { name: "a guard that reads a file", of: "granted file", against: "floor", atMost: 1.3 },
  { name: "a guard that reads a file of a folder", of: "in a folder", against: "floor", atMost: 1.3 },
];

export const grantedFiles: Scope = {
  name: "granted-files",
  question: "a guard's reading of 4 KiB: a granted file, a file of a granted folder",
  floor: "floor",
  run,
  goals: GOALS,
};
