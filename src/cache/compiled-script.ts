import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import { isOurs, seal, sha256, unseal } from "./cache-folder.ts";

/**
 * V8's code cache of the command line, kept for the next process, because compiling the script takes longer than
 * starting Node.
 *
 * V8 does not compare the cache with the source, so a process that can write an entry decides what `hookbox` does. Such
 * a process gains nothing: the same folder contains parsed rules with their commands, and the folder counts only if it
 * belongs to the user and is closed to others. An entry's name depends on the source and on everything that V8's code
 * depends on, so an entry of another build, Node or set of flags is not found. The entry's digest detects damage.
 *
 * The calls are synchronous, because nothing can run before the script is loaded.
 */

/** The maximum number of entries, each of half a megabyte: enough for a user who alternates between versions. */
const MAX_ENTRIES = 6;
const MAX_ENTRY_BYTES = 8 * 1_048_576;

/**
 * The functions in an entry. V8 caches only functions that were called, so the entry of a process without guards lacks
 * the functions for guards.
 */
const KINDS = ["guards", "plain"] as const;
type Kind = (typeof KINDS)[number];

/** Compiles `source`, from the cache if possible. With `mayKeep`, stores a missing entry when this process ends. */
export function compiledScript(
  source: string,
  filename: string,
  { folderOf, mayKeep }: { readonly folderOf: () => string; readonly mayKeep: boolean },
): Script {
  try {
    const folder = folderOf();
    const stats = lstatSync(folder);
    if (stats.isDirectory() && isOurs(stats)) return inFolder(source, filename, folder, mayKeep);
  } catch {
    // Without a cache or a home folder, the script is compiled from source.
  }
  return new Script(source, { filename });
}

function inFolder(source: string, filename: string, folder: string, mayKeep: boolean): Script {
  const name = entryNames(source);
  let found: { readonly kind: Kind; readonly content: Buffer } | undefined;
  for (const kind of KINDS) {
    const content = found === undefined ? read(folder, name[kind]) : undefined;
    if (content !== undefined) found = { kind, content };
  }
  const script = new Script(source, { filename, cachedData: found?.content });
  // If V8 rejects an entry with the right name, V8 would reject a new entry too.
  if (!mayKeep || found?.kind === "guards" || script.cachedDataRejected === true) return script;
  const flags = probe();
  // The entry is stored at exit, when the reply has been written.
  process.once("exit", () => {
    const kind = areAsBefore(flags) ? "plain" : "guards";
    if (kind === found?.kind || !canRestore(flags)) return;
    write(folder, name[kind], script);
  });
  return script;
}

/** Returns a cache of an empty script. V8 stores its flags in a cache, and rejects a cache with other flags. */
function probe(): Buffer {
  return new Script("0").createCachedData();
}

let asked = 0;

function areAsBefore(flags: Buffer): boolean {
  asked += 1;
  // Each call needs a new text, because V8 ignores `cachedData` for a text that this process has compiled before.
  return new Script(String(asked), { cachedData: flags }).cachedDataRejected !== true;
}

/** The defaults of flags that `run` changes for guards. These flags concern only WebAssembly, not this script. */
const USUAL_FLAGS = ["--wasm-dynamic-tiering", "--wasm-tier-up"];

function canRestore(flags: Buffer): boolean {
  if (areAsBefore(flags)) return true;
  for (const flag of USUAL_FLAGS) setFlagsFromString(flag);
  return areAsBefore(flags);
}

/** Returns the names of the entries for `source` in this process. */
export function entryNames(source: string): Readonly<Record<Kind, string>> {
  const { version, arch, versions, execArgv, env } = process;
  const key = [version, arch, versions.v8, execArgv, env["NODE_OPTIONS"], sha256(source)];
  const name = (kind: Kind): string => `${sha256(JSON.stringify([kind, key]))}.code`;
  return { guards: name("guards"), plain: name("plain") };
}

function read(folder: string, name: string): Buffer | undefined {
  let file: number;
  try {
    file = openSync(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > MAX_ENTRY_BYTES || !isOurs(stats)) return undefined;
    const sealed = Buffer.allocUnsafeSlow(stats.size);
    return readSync(file, sealed, 0, stats.size, 0) === stats.size ? unseal(sealed, name) : undefined;
  } finally {
    closeSync(file);
  }
}

function write(folder: string, name: string, script: Script): void {
  const path = join(folder, name);
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    try {
      writeFileSync(draft, seal(script.createCachedData(), name), { flag: "wx", mode: 0o600 });
      renameSync(draft, path);
    } finally {
      rmSync(draft, { force: true });
    }
    prune(folder);
  } catch {
    // The disk is full or the home is read-only, so the next process tries again.
  }
}

/** Removes the oldest entries and unfinished drafts. */
function prune(folder: string): void {
  const own = readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.code(\.[0-9a-f]*)?$/.test(name));
  const byAge = own
    .map((name) => ({ path: join(folder, name), ageMs: lstatSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.ageMs - a.ageMs);
  for (const { path } of byAge.slice(MAX_ENTRIES)) rmSync(path, { force: true });
}
