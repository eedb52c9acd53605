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
 * What V8 has made of our own script, kept for the next process: to compile it takes longer than to start Node.
 *
 * V8 runs what is in the entry without comparing it with the source, so whoever can write it decides what `hookbox` does.
 * That gives nobody more than they had: the same folder holds the rules of configuration files, commands among them, and
 * it counts only if it is the user's own and closed to all others. The entry's name has the digest of the source and
 * everything that V8's code depends on, and the entry a digest of its name and itself, so that one of another build,
 * another Node or other flags is not found, and a torn or rotten one is not used.
 *
 * Synchronously: nothing else can be done meanwhile, and promises of files would be one more thing to load.
 */

/** Half a megabyte each: a build and version of Node that somebody goes back and forth between, and some to spare. */
const MAX_ENTRIES = 6;
const MAX_ENTRY_BYTES = 8 * 1_048_576;

/**
 * What an entry holds beyond what every event needs. V8 compiles a function when it is first called, and keeps those
 * alone: a process without guards leaves the functions to the next that guards would have needed.
 */
const KINDS = ["guards", "plain"] as const;
type Kind = (typeof KINDS)[number];

/**
 * `source` as a script, from the cache if it is there. `mayKeep`: whether it is worth while to put it there when this
 * process ends, if it is not.
 */
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
    // No cache, or no home to have one in: the script is compiled, as without any of this.
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
  // What V8 rejects in spite of its name it would reject again.
  if (!mayKeep || found?.kind === "guards" || script.cachedDataRejected === true) return script;
  const flags = probe();
  // When the answer is out: no event's deadline waits for this.
  process.once("exit", () => {
    const kind = areAsBefore(flags) ? "plain" : "guards";
    if (kind === found?.kind || !canRestore(flags)) return;
    write(folder, name[kind], script);
  });
  return script;
}

/** V8 writes down which flags it had, and takes back only what was made under the same. */
function probe(): Buffer {
  return new Script("0").createCachedData();
}

let asked = 0;

function areAsBefore(flags: Buffer): boolean {
  asked += 1;
  // Another digit each time: of a text that V8 has compiled in this process it does not look at what it is given.
  return new Script(String(asked), { cachedData: flags }).cachedDataRejected !== true;
}

/** Flags that `run` sets for guards, as they usually are. They are about WebAssembly, and nothing to what is compiled here. */
const USUAL_FLAGS = ["--wasm-dynamic-tiering", "--wasm-tier-up"];

function canRestore(flags: Buffer): boolean {
  if (areAsBefore(flags)) return true;
  for (const flag of USUAL_FLAGS) setFlagsFromString(flag);
  return areAsBefore(flags);
}

/** What the entries for `source` are called in this process. */
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
    // A full disk, a read-only home: the next process tries again.
  }
}

/** The oldest go first, with drafts that nobody came to finish. */
function prune(folder: string): void {
  const own = readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.code(\.[0-9a-f]*)?$/.test(name));
  const byAge = own
    .map((name) => ({ path: join(folder, name), ageMs: lstatSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.ageMs - a.ageMs);
  for (const { path } of byAge.slice(MAX_ENTRIES)) rmSync(path, { force: true });
}
