import { copyFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { HookError } from "../../../errors.ts";
import {
  appendCheckpoint,
  type Checkpoint,
  keptCheckpoints,
  MAX_CHECKPOINTS,
  readCheckpoints,
  writeCheckpoints,
} from "./checkpoints.ts";
import { isUsualMode, readModes, writeDetails, writeModes } from "./details.ts";
import { diskBelow } from "./disk.ts";
import { joinNul, splitNul, stopped } from "./git.ts";
import { gitDirOf, indexOf, publishIndex, type Shadow, shadowGit, withOwnIndex } from "./shadow.ts";

/** New files that are larger are left out. What is known already, to us or to the user's git, may be of any size. */
export const MAX_NEW_FILE_BYTES = 2_097_152;
/** How many files go into the index before that is put down for good. */
const BATCH = 2_000;
const LOOKS_AT_ONCE = 64;

export interface Captured {
  readonly tree: string;
  readonly tooLarge: number;
  /** Name of the blob with its {@link Details}. */
  readonly details: string | undefined;
}

export interface Occasion {
  readonly event: string;
  readonly session: string | null;
  readonly to?: number;
}

/**
 * The state of the work tree as a tree object. `suspects`, files that the last capture had, are looked at whether git
 * takes them for changed or not. Under the lock, after `prepareShadow`.
 */
export async function captureTree(shadow: Shadow, suspects: readonly string[] = []): Promise<Captured> {
  try {
    return await withOwnIndex(shadow, (index) => fillIndex(shadow, index, suspects));
  } catch (error) {
    if (shadow.stop.aborted) throw error as HookError;
    // A torn index, a lost object, a file that went away meanwhile: once more, from nothing.
    await rm(indexOf(shadow), { force: true });
    await writeModes(shadow, new Map());
    return withOwnIndex(shadow, (index) => fillIndex(shadow, index, []));
  }
}

async function fillIndex(shadow: Shadow, index: string, suspects: readonly string[]): Promise<Captured> {
  const list = async (...args: readonly string[]): Promise<string[]> =>
    splitNul(await shadowGit(shadow, args, { index }));
  const differing = await list("diff-files", "--name-only", "-z", "--ignore-submodules=all");
  const changed = [...new Set([...differing, ...suspects])];
  const others = await list("ls-files", "-z", "--others", "--exclude-standard");
  const unknown = others.filter((path) => !isRepository(path));
  const ignored = new Set(await list("ls-files", "-z", "--cached", "--ignored", "--exclude-standard"));
  const kept = new Set(await trackedByUser(shadow, ["--ignored", "--exclude-standard"]));

  const look = await lookAt(shadow, [...changed, ...unknown, ...[...kept].filter((path) => !ignored.has(path))]);
  const known = new Set(changed);
  const gone = [...changed.filter((path) => look.missing.has(path)), ...[...ignored].filter((path) => !kept.has(path))];
  let large = look.large.filter((path) => !known.has(path));
  if (large.length > 0) {
    const tracked = new Set(await trackedByUser(shadow, []));
    large = large.filter((path) => !tracked.has(path));
  }
  const notAdded = new Set([...large, ...gone]);
  const added = look.present.filter((path) => !notAdded.has(path));

  const modes = await keepModes(shadow, { added, gone, modes: look.modes });
  await updateIndex(shadow, index, ["--force-remove"], gone);
  for (let start = 0; start < added.length; start += BATCH) {
    if (start > 0) await publishIndex(shadow, index);
    await updateIndex(shadow, index, ["--add", "--remove", "--replace"], added.slice(start, start + BATCH));
  }
  const tree = (await shadowGit(shadow, ["write-tree"], { index })).toString("utf8").trim();
  const unread = look.unreadable.filter((path) => !known.has(path));
  const leftOut = [...others.filter(isRepository), ...large, ...unread].sort();
  return { tree, tooLarge: large.length, details: await writeDetails(shadow, { leftOut, modes }) };
}

/** As git lists it: a repository of its own, which has snapshots of its own. */
export const isRepository = (path: string): boolean => path.endsWith("/");

interface Looked {
  readonly added: readonly string[];
  readonly gone: readonly string[];
  readonly modes: ReadonlyMap<string, number>;
}

async function keepModes(shadow: Shadow, { added, gone, modes }: Looked): Promise<ReadonlyMap<string, number>> {
  const all = await readModes(shadow);
  if (added.length + gone.length === 0) return all;
  for (const path of [...gone, ...added]) all.delete(path);
  for (const path of added) {
    const mode = modes.get(path);
    if (mode !== undefined && !isUsualMode(mode)) all.set(path, mode);
  }
  await writeModes(shadow, all);
  return all;
}

export async function updateIndex(
  shadow: Shadow,
  index: string,
  how: readonly string[],
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  await shadowGit(shadow, ["update-index", ...how, "-z", "--stdin"], { index, input: joinNul(paths) });
}

/**
 * What the user's own index knows, read from a copy: git may touch an index that it reads. Nothing where it cannot be
 * read so, as with a broken one.
 */
export async function trackedByUser(shadow: Shadow, which: readonly string[]): Promise<string[]> {
  const index = `${indexOf(shadow)}.user`;
  const { gitDir } = shadow.workTree;
  try {
    await copyFile(join(gitDir, "index"), index);
    // Of a split one, the other part.
    const parts = (await readdir(gitDir)).filter((name) => name.startsWith("sharedindex."));
    for (const part of parts) await copyFile(join(gitDir, part), join(gitDirOf(shadow), part));
    return splitNul(await shadowGit(shadow, ["ls-files", "-z", "--cached", ...which], { index }));
  } catch (error) {
    if (shadow.stop.aborted) throw error;
    return [];
  } finally {
    await rm(index, { force: true });
  }
}

interface Look {
  readonly present: readonly string[];
  readonly missing: ReadonlySet<string>;
  readonly large: readonly string[];
  readonly unreadable: readonly string[];
  readonly modes: ReadonlyMap<string, number>;
}

/** Only files and links are kept; a file that cannot be read stays as it was. */
async function lookAt(shadow: Shadow, paths: readonly string[]): Promise<Look> {
  const disk = diskBelow(shadow.workTree.top);
  const present: string[] = [];
  const large: string[] = [];
  const unreadable: string[] = [];
  const modes = new Map<string, number>();
  const missing = new Set<string>();
  for (let start = 0; start < paths.length; start += LOOKS_AT_ONCE) {
    const some = paths.slice(start, start + LOOKS_AT_ONCE);
    if (shadow.stop.aborted) throw stopped();
    const standings = await Promise.all(some.map((path) => disk.standsAt(path)));
    for (const [index, standing] of standings.entries()) {
      const path = some[index] as string;
      if (standing.kind === "link") present.push(path);
      else if (standing.kind !== "file") missing.add(path);
      else if (!standing.readable) unreadable.push(path);
      else {
        present.push(path);
        modes.set(path, standing.mode);
        if (standing.bytes > MAX_NEW_FILE_BYTES) large.push(path);
      }
    }
  }
  return { present, missing, large, unreadable, modes };
}

/** Puts a captured state on the list, unless it is the one that the list ends with. */
export async function record(
  shadow: Shadow,
  { tree, tooLarge, details }: Captured,
  { event, session, to }: Occasion,
): Promise<Checkpoint | undefined> {
  const all = await readCheckpoints(shadow.folder);
  const last = all.at(-1);
  // What no tree holds counts, too: a file that has become private would come back as it was before.
  if (last?.tree === tree && last.details === details) return undefined;
  const files = last === undefined ? null : await countChanges(shadow, last.tree, tree);
  const checkpoint: Checkpoint = {
    id: (last?.id ?? 0) + 1,
    time: new Date().toISOString(),
    event,
    session,
    tree,
    files,
    tooLarge,
    ...(details === undefined ? {} : { details }),
    ...(to === undefined ? {} : { to }),
  };
  await appendCheckpoint(shadow.folder, checkpoint);
  // Where sessions never end, nobody else shortens the list.
  if (all.length >= 2 * MAX_CHECKPOINTS) {
    await writeCheckpoints(shadow.folder, keptCheckpoints([...all, checkpoint], Date.now()));
  }
  return checkpoint;
}

async function countChanges(shadow: Shadow, before: string, after: string): Promise<number | null> {
  try {
    return (await listChanges(shadow, before, after)).length;
  } catch (error) {
    if (shadow.stop.aborted) throw error;
    return null;
  }
}

export interface Change {
  readonly path: string;
  /** What has happened to it between the first state and the second. */
  readonly change: "added" | "deleted" | "modified";
  /** Of text, where they were asked for. */
  readonly lines?: { readonly added: number; readonly deleted: number };
}

const CHANGES: Readonly<Record<string, Change["change"]>> = { A: "added", D: "deleted" };

export async function listChanges(shadow: Shadow, before: string, after: string): Promise<Change[]> {
  const fields = splitNul(
    await shadowGit(shadow, ["diff-tree", "-r", "-z", "--no-renames", "--name-status", before, after]),
  );
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    changes.push({ change: CHANGES[fields[at] as string] ?? "modified", path: fields[at + 1] as string });
  }
  return changes;
}

/** With the numbers of lines, which takes reading the files. */
export async function listChangedLines(shadow: Shadow, before: string, after: string): Promise<Change[]> {
  const how = ["--numstat", "--no-ext-diff", "--no-textconv"];
  const counts = new Map(
    splitNul(await shadowGit(shadow, ["diff-tree", "-r", "-z", "--no-renames", ...how, before, after])).map((entry) => {
      const [added = "", deleted = "", ...path] = entry.split("\t");
      return [path.join("\t"), { added: Number(added), deleted: Number(deleted) }] as const;
    }),
  );
  return (await listChanges(shadow, before, after)).map((change) => {
    const lines = counts.get(change.path);
    // Of what is no text it says "-".
    return lines === undefined || Number.isNaN(lines.added + lines.deleted) ? change : { ...change, lines };
  });
}
