import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { deserialize, serialize } from "node:v8";
import { SCRATCH } from "./toolchains.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
/** Files that turn sources into modules, in addition to the compilers. */
const BUILDERS = ["src/authoring", "src/sandbox", "src/wasm-binary"];
const FOLDER = path.join(SCRATCH, "built-once");
const IS_MADE = /(^|\/)(target|Cargo\.lock|guard\.wasm)(\/|$)/;

/** Name and content of every file below these folders, so that a changed source is built again in watch mode. */
function digestOf(folders: readonly string[]): string {
  const hash = createHash("sha256");
  for (const folder of folders) {
    for (const entry of readdirSync(path.resolve(ROOT, folder), { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      if (entry.isFile() && !IS_MADE.test(file)) hash.update(`${file}\0`).update(readFileSync(file));
    }
  }
  return hash.digest("hex");
}

const digests = new Map<string, string>();

/**
 * What compilers make of the same sources, once in a run of the suite: compilers take longer than most tests of what
 * they make. Only for what is data through and through.
 *
 * @param name of what is made; one name, one way of making it
 * @param sources folders
 */
export async function builtOnce<Made>(
  name: string,
  sources: readonly string[],
  make: () => Promise<Made>,
): Promise<Made> {
  const read = [...BUILDERS, ...sources];
  const digest = digests.get(read.join("\n")) ?? digestOf(read);
  digests.set(read.join("\n"), digest);
  const file = path.join(FOLDER, `${name.replaceAll(/\W/g, "-")}-${digest}`);
  try {
    return deserialize(readFileSync(file)) as Made;
  } catch {
    // It has not been built yet.
  }
  const made = await make();
  mkdirSync(FOLDER, { recursive: true });
  // Two workers may build it at the same time, and a third must never read half a file.
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, serialize(made));
  renameSync(draft, file);
  return made;
}
