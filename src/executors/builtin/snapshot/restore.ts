import { chmod } from "node:fs/promises";
import { type Change, listChanges, trackedByUser } from "./capture.ts";
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
  /** What happens to each file. */
  readonly changes: readonly Change[];
  readonly left: readonly Left[];
}

/** `present` has just been captured, and the shadow's index is that. */
export async function planRestore(shadow: Shadow, present: string, wanted: string): Promise<Plan> {
  const all = await listChanges(shadow, present, wanted);
  const left = await findLeft(shadow, all);
  const names = new Set(left.map(({ path }) => path));
  const changes = all.filter(({ path }) => !names.has(path));
  const tree = left.length === 0 ? wanted : await treeWithout(shadow, wanted, names);
  return { from: present, tree, changes, left };
}

/** Files that would come back to where something stands that the present state does not have, or that are ignored. */
async function findLeft(shadow: Shadow, changes: readonly Change[]): Promise<readonly Left[]> {
  const disk = diskBelow(shadow.workTree.top);
  const going = new Set(changes.filter(({ change }) => change === "deleted").map(({ path }) => path));
  const left: Left[] = [];
  const free: string[] = [];
  for (const { path, change } of changes) {
    if (change !== "added") continue;
    const standing = await disk.standsAt(path);
    const reason = await whyOccupied(shadow, path, standing, going);
    if (reason !== undefined) left.push({ path, reason });
    else if (standing.kind !== "astray") free.push(path);
  }
  for (const path of await ignoredOf(shadow, free)) left.push({ path, reason: "it is ignored now" });
  return left;
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

/** Of all unknown files, rather than by the folder's name, which need not be text that an argument can be. */
async function holdsUnknown(shadow: Shadow, folder: string): Promise<boolean> {
  const unknown = splitNul(await shadowGit(shadow, ["ls-files", "-z", "--others"]));
  return unknown.some((path) => path.startsWith(`${folder}/`));
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
export async function applyRestore(shadow: Shadow, { from, tree, changes }: Plan): Promise<void> {
  const modes = await modesOf(shadow, changes);
  await withOwnIndex(shadow, (index) => shadowGit(shadow, ["read-tree", "-m", "-u", from, tree], { index }));
  await giveBack(shadow, modes);
}

/** Git makes files anew, and knows of their modes only whether they can be run. */
async function modesOf(shadow: Shadow, changes: readonly Change[]): Promise<ReadonlyMap<string, number>> {
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
    const access = before & 0o666;
    const mode = (standing.mode & 0o100) === 0 ? access : access | ((access >> 2) & 0o111);
    if (mode !== standing.mode) await chmod(absolutePath(shadow.workTree.top, path), mode).catch(() => {});
  }
}
