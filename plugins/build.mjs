// Builds the guards that ship, and the hostile guards for the demo and the tests, into dist/guards. A guard's bytes
// must have the digest that is compiled into the code. After a change to a guard, `--write` updates the digests.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { buildGuard } from "../dist/authoring/build.js";
import { engineWithoutGuard, memoryBeforeScript } from "../dist/authoring/typescript/snapshot.js";
import { BUILTIN_DEFAULTS } from "../dist/config/layered-settings.js";
import { writeImage } from "../dist/sandbox/guest/memory-image.js";
import { grants, loadAdmission, readEngine } from "../dist/sandbox/index.js";
import { checkGuard } from "./check-guard.mjs";
import { compileText } from "./compile-text.mjs";
import { differences, writeTable } from "./digest-table.mjs";

const plugins = new URL("./", import.meta.url);
const output = new URL("../dist/guards/", import.meta.url);

const { admitCode, dataSection, encodeAdmitted, grantsToLoad, recognise, shapeOf } = await loadAdmission();
const USUAL_TERMS = { function: "handle", memoryBytes: BUILTIN_DEFAULTS.wasmMemoryBytes, sha256: undefined };

/** Returns the engine of all guards in TypeScript. The build admits the engine once, so that processes need not. */
async function admitEngine() {
  const whole = await readEngine();
  const bytes = await engineWithoutGuard(whole);
  const code = await admitCode(bytes, { ...USUAL_TERMS, grants: grantsToLoad(grants.GRANTABLE) });
  if (!code.ok) throw new Error(`the engine ${code.message}`);
  const file = "engine.admitted";
  const shape = shapeOf(bytes);
  const sha256 = await emit(file, encodeAdmitted(code));
  const base = await memoryBeforeScript(whole);
  const baseFile = "engine.base";
  const baseSha256 = await emit(baseFile, dataSection(base));
  return { code, shape, base, row: { file, sha256, baseFile, baseSha256, shape } };
}

/**
 * Builds a guard. The package ships only `NAME.admitted`, with the difference of its memory to the engine's.
 * `NAME.wasm` is the whole module, for tests: hookbox makes the same bytes from the parts.
 */
async function buildShipped(name, engine) {
  const folder = fileURLToPath(new URL(name, plugins));
  const { wasm, manifest } = await buildGuard(folder);
  const sha256 = await emit(`${name}.wasm`, wasm);
  const guard = await recognise(wasm, sha256, USUAL_TERMS, engine);
  if (guard === undefined) throw new Error(`${name} is not made of the engine that ships`);
  const module = fileURLToPath(new URL(`${name}.wasm`, output));
  const passedUnder = await checkGuard({ name, folder, module, manifest });
  const file = `${name}.admitted`;
  const memory = new Uint8Array(guard.pages * 65_536);
  writeImage(memory, guard);
  const data = dataSection(memory, engine.base);
  const content = encodeAdmitted({ ...guard, data, claims: { ...guard.claims, passedUnder } });
  return { name, file, fileSha256: await emit(file, content), sha256 };
}

async function emit(file, bytes) {
  await writeFile(new URL(file, output), bytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  console.log(`${file.padEnd(32)} ${String(bytes.length).padStart(7)} bytes  sha256 ${sha256.slice(0, 12)}`);
  return sha256;
}

async function guardNames() {
  const entries = await readdir(plugins, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return names.filter((name) => existsSync(new URL(`${name}/guard.ts`, plugins))).sort();
}

await mkdir(new URL("hostile/", output), { recursive: true });

const engine = await admitEngine();
const guards = [];
for (const name of await guardNames()) guards.push(await buildShipped(name, engine));

const hostile = new URL("hostile/", plugins);
for (const file of (await readdir(hostile)).filter((name) => name.endsWith(".wat")).sort()) {
  const wasm = compileText(file, await readFile(new URL(file, hostile), "utf8"));
  await emit(`hostile/${file.replace(/\.wat$/, ".wasm")}`, wasm);
}

if (process.argv.includes("--write")) {
  await writeTable(guards, engine.row);
} else {
  const changed = await differences(guards, engine.row);
  if (changed.length > 0) {
    console.error(`${changed.join(", ")}: not what src/sandbox/modules/builtin-{guards,engine}.ts list.`);
    console.error("If the change is meant, run: npm run guards");
    process.exitCode = 1;
  }
}
