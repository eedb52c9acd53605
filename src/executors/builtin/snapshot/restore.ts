import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../../files/make-folder.ts";
import { type Change, isRepository, listChanges, trackedByUser, updateIndex } from "./capture.ts";
import type { Checkpoint } from "./checkpoints.ts";
import { readDetails } from "./details.ts";
import { absolutePath, diskBelow, type Standing } from "./disk.ts";
import { joinNul, splitNul } from "./git.ts";
import { indexOf, type Shadow, shadowGit, withOwnIndex } from "./shadow.ts";

/** Bringing the work tree back to a captured state, without losing what no capture has. */

export interface Left {
  readonly path: string;
  readonly reason: string;
}

export interface Plan {
  /** The state that the work tree was in when this was planned. */
  readonly from: string;
  /** What to bring it to: the wanted state without what is left alone. */
  readonly tree: string;
  /** What the work tree has, the wanted state has not, and is left alone all the same. */
  readonly staying: ReadonlySet<string>;
  /** Permissions of the wanted state. */
  readonly modes: ReadonlyMap<string, number>;
  /** What happens to each file. */
  readonly changes: readonly Change[];
  readonly left: readonly Left[];
}

/** `present` has just been captured, and the shadow's index is that. */
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

/** Files that the wanted state does not have although they may well have been there: then they were in no snapshot. */
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
    return stood ? [{ path, reason: "it was there then, and left out of the snapshot" }] : [];
  });
}

/** By the `.gitignore` files of a state, whether git knows them or not. They are laid out where git can read them. */
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

/** Files that would come back to where something stands that the present state does not have, or that are ignored. */
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
    const standing = await disk.standsAt(path);
    const reason = isBelow(path, staying) ?? (await whyOccupied(shadow, path, standing, going));
    if (reason !== undefined) left.push({ path, reason });
    else if (standing.kind !== "astray") free.push(path);
  }
  for (const path of await ignoredOf(shadow, free)) left.push({ path, reason: "it is ignored now" });
  return left;
}

/** A folder comes back as a file only when nothing stays in it. */
function isBelow(path: string, staying: readonly Left[]): string | undefined {
  const isInTheWay = staying.some((one) => one.path.startsWith(`${path}/`));
  return isInTheWay ? "a folder with files that stay stands there" : undefined;
}

async function whyOccupied(
  shadow: Shadow,
  path: string,
  standing: Standing,
  going: ReadonlySet<string>,
): Promise<string | undefined> {
  switch (standing.kind) {
    case "nothing":
      return undefined;
    case "astray":
      return going.has(standing.at) ? undefined : "a link or a file that is in no snapshot stands in its way";
    case "folder":
      return (await holdsUnknown(shadow, path))
        ? "a folder with files that are in no snapshot stands there"
        : undefined;
    default:
      return "a file that is in no snapshot stands there";
  }
}

/**
 * Of all unknown files, rather than by the folder's name, which need not be text that an argument can be. A repository
 * of its own is listed as one folder, with everything that is in it.
 */
async function holdsUnknown(shadow: Shadow, path: string): Promise<boolean> {
  const folder = `${path}/`;
  const unknown = splitNul(await shadowGit(shadow, ["ls-files", "-z", "--others"]));
  return unknown.some((one) => one.startsWith(folder) || (isRepository(one) && folder.startsWith(one)));
}

/** Without those that the user's own git knows all the same. */
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
 * All of it or, when a file is not as it was when this was planned, nothing. Git does it, as it does a checkout: it
 * writes through no link, and removes nothing that it does not know.
 */
export async function applyRestore(shadow: Shadow, { from, tree, staying, changes, modes }: Plan): Promise<void> {
  const before = await modesOf(shadow, changes);
  await withOwnIndex(shadow, async (index) => {
    // What git is told that it does not know, it leaves alone.
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

/** Git makes files anew, and knows of their modes only whether they can be run. */
async function modesOf(shadow: Shadow, changes: readonly Change[]): Promise<Map<string, number>> {
  const disk = diskBelow(shadow.workTree.top);
  const modes = new Map<string, number>();
  for (const { path, change } of changes) {
    if (change !== "modified") continue;
    const standing = await disk.standsAt(path);
    if (standing.kind === "file") modes.set(path, standing.mode);
  }
  return modes;
}

/** Who may read and write a file stays as it was; a private file does not become a public one. */
async function giveBack(shadow: Shadow, modes: ReadonlyMap<string, number>): Promise<void> {
  if (process.platform === "win32") return;
  const disk = diskBelow(shadow.workTree.top);
  for (const [path, before] of modes) {
    const standing = await disk.standsAt(path);
    if (standing.kind !== "file") continue;
    const mode = withExecutable(before, (standing.mode & 0o100) !== 0);
    if (mode !== standing.mode) await chmod(absolutePath(shadow.workTree.top, path), mode).catch(() => {});
  }
}

/** Whoever may read a file that can be run may run it. */
function withExecutable(mode: number, isExecutable: boolean): number {
  if (((mode & 0o100) !== 0) === isExecutable) return mode & 0o777;
  const access = mode & 0o666;
  return isExecutable ? access | ((access >> 2) & 0o111) : access;
}
