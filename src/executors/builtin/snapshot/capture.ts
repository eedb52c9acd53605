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

/** The maximum size of a new file. Files that the shadow or the user's git already has may have any size. */
export const MAX_NEW_FILE_BYTES = 2_097_152;
/** The number of files after which the index is published, so that a killed process does not lose the work. */
const BATCH = 2_000;
const LOOKS_AT_ONCE = 64;

export interface Captured {
  readonly tree: string;
  readonly tooLarge: number;
  /** The object name of the blob with the {@link Details}. */
  readonly details: string | undefined;
}

export interface Occasion {
  readonly event: string;
  readonly session: string | null;
  readonly to?: number;
}

/**
 * Captures the work tree as a tree object. Call this under the lock, after `prepareShadow`. `suspects` are files of the
 * last capture that are read even if git considers them unchanged.
 */
export async function captureTree(shadow: Shadow, suspects: readonly string[] = []): Promise<Captured> {
  try {
    return await withOwnIndex(shadow, (index) => fillIndex(shadow, index, suspects));
  } catch (error) {
    if (shadow.stop.aborted) throw error as HookError;
    // The index was damaged, an object was missing, or a file disappeared. The capture is tried once more with an empty
    // index.
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

/** Whether a path is a nested repository, which git lists with a slash at the end and which has its own snapshots. */
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
 * Returns the paths in the user's own index. Reads a copy, because git may change an index that it reads. Returns none
 * if the index cannot be read.
 */
export async function trackedByUser(shadow: Shadow, which: readonly string[]): Promise<string[]> {
  const index = `${indexOf(shadow)}.user`;
  const { gitDir } = shadow.workTree;
  try {
    await copyFile(join(gitDir, "index"), index);
    // A split index has a second file, which is copied too.
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

/** Examines paths. Only files and links are captured. A file that cannot be read keeps its last captured content. */
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
    const pathStates = await Promise.all(some.map((path) => disk.stateAt(path)));
    for (const [index, pathState] of pathStates.entries()) {
      const path = some[index] as string;
      if (pathState.kind === "link") present.push(path);
      else if (pathState.kind !== "file") missing.add(path);
      else if (!pathState.readable) unreadable.push(path);
      else {
        present.push(path);
        modes.set(path, pathState.mode);
        if (pathState.bytes > MAX_NEW_FILE_BYTES) large.push(path);
      }
    }
  }
  return { present, missing, large, unreadable, modes };
}

/** Adds a captured state to the list, unless the last state in the list is the same. */
export async function record(
  shadow: Shadow,
  { tree, tooLarge, details }: Captured,
  { event, session, to }: Occasion,
): Promise<Checkpoint | undefined> {
  const all = await readCheckpoints(shadow.folder);
  const last = all.at(-1);
  // Details count too, because a file that was made private would otherwise be restored as public.
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
  // The list is shortened here, because pruning never runs if sessions never end.
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
  /** Whether the file was added, deleted or modified between the two states. */
  readonly change: "added" | "deleted" | "modified";
  /** The numbers of lines. Set only for text files, and only if the caller asked for them. */
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

/** Like {@link listChanges}, with line counts, which takes reading the files. */
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
    // For binary files, git prints "-" instead of numbers.
    return lines === undefined || Number.isNaN(lines.added + lines.deleted) ? change : { ...change, lines };
  });
}
