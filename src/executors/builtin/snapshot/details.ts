import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJsonObject } from "../../../json.ts";
import { gitDirOf, type Shadow, shadowGit } from "./shadow.ts";
import { readRegular } from "./work-tree.ts";

/** Facts about a state that a tree object cannot express. A blob contains them, if there are any. */
export interface Details {
  /** Paths that existed but were not captured: files, and repositories with a slash at the end. */
  readonly leftOut: readonly string[];
  /** Permissions of files that differ from the permissions of a new file. */
  readonly modes: ReadonlyMap<string, number>;
}

const NOTHING: Details = { leftOut: [], modes: new Map() };
const MAX_BYTES = 67_108_864;
const FILE = "modes.json";

export async function writeDetails(shadow: Shadow, { leftOut, modes }: Details): Promise<string | undefined> {
  if (leftOut.length === 0 && modes.size === 0) return undefined;
  // Sorted, so that equal details have the same blob.
  const input = Buffer.from(JSON.stringify({ leftOut, modes: [...modes].sort(([a], [b]) => (a < b ? -1 : 1)) }));
  return (await shadowGit(shadow, ["hash-object", "-w", "--stdin"], { input })).toString("utf8").trim();
}

export async function readDetails(shadow: Shadow, name: string | undefined): Promise<Details> {
  if (name === undefined) return NOTHING;
  const text = (await shadowGit(shadow, ["cat-file", "blob", name])).toString("utf8");
  const { leftOut, modes } = JSON.parse(text) as { leftOut: string[]; modes: [string, number][] };
  return { leftOut, modes: new Map(modes) };
}

/** Reads the permissions at the last capture, because the next capture reads only changed files. */
export async function readModes(shadow: Shadow): Promise<Map<string, number>> {
  const text = (await readRegular(join(gitDirOf(shadow), FILE), MAX_BYTES))?.toString("utf8");
  const modes = text === undefined ? undefined : parseJsonObject(text)?.["modes"];
  return new Map((modes ?? []) as [string, number][]);
}

/** Writes the permissions, before the caller writes the index. A file that is missing in the index is read again. */
export async function writeModes(shadow: Shadow, modes: ReadonlyMap<string, number>): Promise<void> {
  const draft = join(gitDirOf(shadow), `${FILE}.draft`);
  await writeFile(draft, JSON.stringify({ modes: [...modes] }), { mode: 0o600 });
  await rename(draft, join(gitDirOf(shadow), FILE));
}

/** Whether git would create a file with these permissions. */
export function isUsualMode(mode: number): boolean {
  const made = (mode & 0o100) === 0 ? 0o666 : 0o777;
  return (mode & 0o777) === (made & ~process.umask());
}
