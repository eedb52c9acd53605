import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../../files/make-folder.ts";
import { type Change, isRepository, listChanges, trackedByUser, updateIndex } from "./capture.ts";
import type { Checkpoint } from "./checkpoints.ts";
import { readDetails } from "./details.ts";
import { absolutePath, diskBelow, type PathState } from "./disk.ts";
import { joinNul, splitNul } from "./git.ts";
import { indexOf, type Shadow, shadowGit, withOwnIndex } from "./shadow.ts";

/** Restores a captured state of the work tree, without losing files that no snapshot contains. */

export interface Left {
  readonly path: string;
  readonly reason: string;
}

export interface Plan {
  /** The state of the work tree at the time of the plan. */
  readonly from: string;
  /** The state to restore: the wanted state without files that are left alone. */
  readonly tree: string;
  /** Files that the wanted state does not contain, but that are not deleted. */
  readonly staying: ReadonlySet<string>;
  /** Permissions of the wanted state. */
  readonly modes: ReadonlyMap<string, number>;
  /** The change of each file. */
  readonly changes: readonly Change[];
  readonly left: readonly Left[];
}

/** Plans a restore. `present` was just captured and is in the shadow's index. */
export async function planRestore(shadow: Shadow, present: string, wanted: Checkpoint): Promise<Plan> {
  const all = await listChanges(shadow, present, wanted.tree);
  const { leftOut, modes } = await readDetails(shadow, wanted.details);
  const staying = await findStaying(shadow, all, wanted.tree, leftOut);
  const occupied = await findOccupied(shadow, all, staying);
  const names = new Set([...staying, ...occupied].map(({ path }) => path));
  const blocked = new Set(occupied.map(({ path }) => path));
  return {
    from: present,
    tree: blocked.size === 0 ? wanted.tree : await treeWithout(shadow, wanted.tree, blocked),
    staying: new Set(staying.map(({ path }) => path)),
    modes,
    changes: all.filter(({ path }) => !names.has(path)),
    left: [...staying, ...occupied],
  };
}

/** Returns files that the wanted state may have had, although no snapshot captured them. */
async function findStaying(
  shadow: Shadow,
  changes: readonly Change[],
  wanted: string,
  leftOut: readonly string[],
): Promise<readonly Left[]> {
  const going = changes.filter(({ change }) => change === "deleted").map(({ path }) => path);
  if (going.length === 0) return [];
  const files = new Set(leftOut);
  const repositories = leftOut.filter((path) => path.endsWith("/"));
  const ignored = new Set(await ignoredIn(shadow, wanted, going));
  return going.flatMap((path) => {
    if (ignored.has(path)) return [{ path, reason: "it was ignored then" }];
    const stood = files.has(path) || repositories.some((folder) => path.startsWith(folder));
    return stood ? [{ path, reason: "it existed then, but is not in the snapshot" }] : [];
  });
}

/**
 * Returns the paths that the `.gitignore` files of a state ignore, whether or not git tracks them. Writes the
 * `.gitignore` files to a folder where git can read them.
 */
async function ignoredIn(shadow: Shadow, tree: string, paths: readonly string[]): Promise<readonly string[]> {
  const workTree = join(shadow.folder, "rules");
  const index = `${indexOf(shadow)}.rules`;
  try {
    await makeFolder(workTree);
    await shadowGit(shadow, ["read-tree", tree], { index });
    const files = await shadowGit(shadow, ["ls-files", "-z", "--", ":(glob)**/.gitignore"], { index });
    await shadowGit(shadow, ["checkout-index", "-f", "-z", "--stdin"], { index, workTree, input: files });
    const call = { index, workTree, input: joinNul(paths), codes: [0, 1] };
    return splitNul(await shadowGit(shadow, ["check-ignore", "--no-index", "-z", "--stdin"], call));
  } finally {
    await rm(workTree, { recursive: true, force: true });
    await rm(index, { force: true });
  }
}

/** Returns files that cannot be restored: ignored files, and files whose path an unknown file blocks. */
async function findOccupied(
  shadow: Shadow,
  changes: readonly Change[],
  staying: readonly Left[],
): Promise<readonly Left[]> {
  const disk = diskBelow(shadow.workTree.top);
  const going = new Set(changes.filter(({ change }) => change === "deleted").map(({ path }) => path));
  for (const { path } of staying) going.delete(path);
  const left: Left[] = [];
  const free: string[] = [];
  for (const { path, change } of changes) {
    if (change !== "added") continue;
    const pathState = await disk.stateAt(path);
    const reason = isBelow(path, staying) ?? (await whyOccupied(shadow, path, pathState, going));
    if (reason !== undefined) left.push({ path, reason });
    else if (pathState.kind !== "astray") free.push(path);
  }
  for (const path of await ignoredOf(shadow, free)) left.push({ path, reason: "it is ignored now" });
  return left;
}

/** Returns a remaining file below a path. A folder is replaced with a file only if no file in the folder stays. */
function isBelow(path: string, staying: readonly Left[]): string | undefined {
  const isInTheWay = staying.some((one) => one.path.startsWith(`${path}/`));
  return isInTheWay ? "a folder with files that are kept is at this path" : undefined;
}

async function whyOccupied(
  shadow: Shadow,
  path: string,
  pathState: PathState,
  going: ReadonlySet<string>,
): Promise<string | undefined> {
  switch (pathState.kind) {
    case "nothing":
      return undefined;
    case "astray":
      return going.has(pathState.at) ? undefined : "a part of its path is a link or a file that is in no snapshot";
    case "folder":
      return (await holdsUnknown(shadow, path))
        ? "a folder with files that are in no snapshot is at this path"
        : undefined;
    default:
      return "a file that is in no snapshot is at this path";
  }
}

/**
 * Whether a folder contains untracked files. Searches all untracked files, because a folder's name may not be valid
 * UTF-8 and cannot be passed to git. A nested repository is listed as one folder.
 */
async function holdsUnknown(shadow: Shadow, path: string): Promise<boolean> {
  const folder = `${path}/`;
  const unknown = splitNul(await shadowGit(shadow, ["ls-files", "-z", "--others"]));
  return unknown.some((one) => one.startsWith(folder) || (isRepository(one) && folder.startsWith(one)));
}

/** Returns the ignored paths, without those that the user's own git tracks. */
async function ignoredOf(shadow: Shadow, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const ignored = splitNul(
    await shadowGit(shadow, ["check-ignore", "-z", "--stdin"], { input: joinNul(paths), codes: [0, 1] }),
  );
  if (ignored.length === 0) return [];
  const tracked = new Set(await trackedByUser(shadow, ["--ignored", "--exclude-standard"]));
  return ignored.filter((path) => !tracked.has(path));
}

async function treeWithout(shadow: Shadow, tree: string, paths: ReadonlySet<string>): Promise<string> {
  const index = `${indexOf(shadow)}.wanted`;
  await shadowGit(shadow, ["read-tree", tree], { index });
  await shadowGit(shadow, ["update-index", "--force-remove", "-z", "--stdin"], { index, input: joinNul(paths) });
  return (await shadowGit(shadow, ["write-tree"], { index })).toString("utf8").trim();
}

/**
 * Restores all files, or none if a file changed since the plan was made. Git does the work as in a checkout: git does
 * not write through links, and does not delete files that it does not track.
 */
export async function applyRestore(shadow: Shadow, { from, tree, staying, changes, modes }: Plan): Promise<void> {
  const before = await modesOf(shadow, changes);
  await withOwnIndex(shadow, async (index) => {
    // Git does not change files that are missing in its index.
    const known = staying.size === 0 ? from : await treeWithout(shadow, from, staying);
    await updateIndex(shadow, index, ["--force-remove"], [...staying]);
    await shadowGit(shadow, ["read-tree", "-m", "-u", known, tree], { index });
  });
  for (const { path, change } of changes) {
    const mode = modes.get(path);
    if (change === "added" && mode !== undefined) before.set(path, mode);
  }
  await giveBack(shadow, before);
}

/** Reads the permissions before the restore, because git creates files again and keeps only the executable bit. */
async function modesOf(shadow: Shadow, changes: readonly Change[]): Promise<Map<string, number>> {
  const disk = diskBelow(shadow.workTree.top);
  const modes = new Map<string, number>();
  for (const { path, change } of changes) {
    if (change !== "modified") continue;
    const pathState = await disk.stateAt(path);
    if (pathState.kind === "file") modes.set(path, pathState.mode);
  }
  return modes;
}

/** Sets the former permissions of the files, so that a private file does not become public. */
async function giveBack(shadow: Shadow, modes: ReadonlyMap<string, number>): Promise<void> {
  if (process.platform === "win32") return;
  const disk = diskBelow(shadow.workTree.top);
  for (const [path, before] of modes) {
    const pathState = await disk.stateAt(path);
    if (pathState.kind !== "file") continue;
    const mode = withExecutable(before, (pathState.mode & 0o100) !== 0);
    if (mode !== pathState.mode) await chmod(absolutePath(shadow.workTree.top, path), mode).catch(() => {});
  }
}

/** Returns the mode for an executable file: everyone who may read the file may also execute it. */
function withExecutable(mode: number, isExecutable: boolean): number {
  if (((mode & 0o100) !== 0) === isExecutable) return mode & 0o777;
  const access = mode & 0o666;
  return isExecutable ? access | ((access >> 2) & 0o111) : access;
}
