import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { deserialize, serialize } from "node:v8";
import { SCRATCH } from "./toolchains.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
/** What turns sources into modules, beside the compilers themselves. */
const BUILDERS = ["src/authoring", "src/executors/wasm/admission", "src/executors/wasm/guest"];
const FOLDER = path.join(SCRATCH, "built-once");
const IS_MADE = /(^|\/)(target|Cargo\.lock|guard\.wasm)(\/|$)/;

/** Of every file below these folders: name and content. Whoever watches tests and edits a guard builds it anew. */
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
    // Nobody has made it yet.
  }
  const made = await make();
  mkdirSync(FOLDER, { recursive: true });
  // Two workers may make it at once, and a third must never read half a file.
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, serialize(made));
  renameSync(draft, file);
  return made;
}
