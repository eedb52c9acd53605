import { join } from "node:path";
import { describeThrown, HookError } from "../../../errors.ts";
import { defaultStateFolder } from "../../../state/state-folder.ts";
import type { StopSignal } from "../../../stop-signal.ts";
import { type Captured, type Change, captureTree, listChangedLines, type Occasion, record } from "./capture.ts";
import { type Checkpoint, readCheckpoints } from "./checkpoints.ts";
import { findGit } from "./git.ts";
import { withLock } from "./lock.ts";
import { prune } from "./prune.ts";
import { applyRestore, type Left, type Plan, planRestore } from "./restore.ts";
import { makePrivateFolder, prepareShadow, type Shadow, shadowFolder } from "./shadow.ts";
import { findWorkTree } from "./work-tree.ts";

/** States of a work tree that can be gone back to. Everything here rejects with a `HookError` when it cannot be done. */

/** How long another capture of the same repository is waited for. */
const LOCK_WAIT_MS = 10_000;

export const snapshotsFolder = (): string => join(defaultStateFolder(), "snapshots");

/** Of the repository that `cwd` is in; `undefined` outside of any, and without git. */
export async function openShadow(
  cwd: string,
  stop: StopSignal,
  folder: string = snapshotsFolder(),
): Promise<Shadow | undefined> {
  const workTree = await findWorkTree(cwd);
  const gitFile = workTree === undefined ? undefined : findGit();
  if (workTree === undefined || gitFile === undefined) return undefined;
  return { workTree, gitFile, stop, folder: shadowFolder(folder, workTree) };
}

async function underLock<Value>(shadow: Shadow, work: () => Promise<Value>): Promise<Value> {
  await makePrivateFolder(shadow.folder);
  return withLock(join(shadow.folder, "lock"), LOCK_WAIT_MS, shadow.stop, async () => {
    await prepareShadow(shadow);
    return work();
  });
}

/** Resolves to what was put on the list, or to nothing when the state is the last one's. */
export function takeSnapshot(
  shadow: Shadow,
  occasion: Occasion,
): Promise<{ readonly checkpoint: Checkpoint | undefined; readonly captured: Captured }> {
  return underLock(shadow, async () => {
    const captured = await captureTree(shadow);
    return { captured, checkpoint: await record(shadow, captured, occasion) };
  });
}

/** For the end of a session. */
export const pruneSnapshots = (shadow: Shadow): Promise<void> => underLock(shadow, () => prune(shadow));

export interface Shown {
  readonly checkpoint: Checkpoint;
  /** Since the checkpoint before; empty for the first. */
  readonly changes: readonly Change[];
}

export async function showCheckpoint(shadow: Shadow, id: number): Promise<Shown> {
  const all = await readCheckpoints(shadow.folder);
  const checkpoint = findCheckpoint(all, id);
  const before = all[all.indexOf(checkpoint) - 1];
  return {
    checkpoint,
    changes: before === undefined ? [] : await listChangedLines(shadow, before.tree, checkpoint.tree),
  };
}

export interface Undo {
  readonly to: Checkpoint;
  /** The state before it, for whoever wants that back. */
  readonly from: Checkpoint;
  readonly changes: readonly Change[];
  readonly left: readonly Left[];
}

/** What {@link undo} would do now. The present state is captured for that. */
export async function planUndo(shadow: Shadow, id: number | undefined): Promise<Undo> {
  await refuseWithoutList(shadow);
  return underLock(shadow, async () => (await plan(shadow, id)).undo);
}

/**
 * Brings the work tree back to a checkpoint. Without an `id`: to before what was changed last, and called again, to
 * before that. The present state goes on the list first. With `seen`, the tree of a plan that somebody has agreed to,
 * only if that still is the present state.
 */
export async function undo(shadow: Shadow, id: number | undefined, seen?: string): Promise<Undo> {
  await refuseWithoutList(shadow);
  return underLock(shadow, async () => {
    const { undo: planned, restore, captured } = await plan(shadow, id);
    if (seen !== undefined && captured.tree !== seen) {
      throw new HookError("HOOK_BUILTIN", "files have changed since you were shown what would; look again");
    }
    if (planned.changes.length === 0) return planned;
    try {
      await applyRestore(shadow, restore);
    } catch (error) {
      const kept = `the state before it is snapshot ${planned.from.id}`;
      throw new HookError("HOOK_BUILTIN", `${describeThrown(error)}; ${kept}`);
    }
    // Seen anew: what was left alone may be a part of it. Otherwise the next undo would try that again.
    await record(shadow, await captureTree(shadow), { event: "undo", session: null, to: planned.to.id });
    return planned;
  });
}

/** Before anything is made: to ask for an undo where there never was a snapshot leaves nothing behind. */
async function refuseWithoutList(shadow: Shadow): Promise<void> {
  if ((await readCheckpoints(shadow.folder)).length === 0) throw nothingEarlier();
}

const nothingEarlier = (): HookError =>
  new HookError("HOOK_BUILTIN", "there is no earlier snapshot of this repository");

interface Planned {
  readonly undo: Undo;
  readonly restore: Plan;
  readonly captured: Captured;
}

async function plan(shadow: Shadow, id: number | undefined): Promise<Planned> {
  const before = await readCheckpoints(shadow.folder);
  const to = id === undefined ? undefined : findCheckpoint(before, id);
  const first = await captureTree(shadow);
  const found = await firstToDiffer(shadow, first.tree, to === undefined ? earlierThan(before, first.tree) : [to]);
  const captured = await lookAgain(shadow, first, found?.restore.changes ?? []);
  const added = await record(shadow, captured, { event: "before undo", session: null });
  if (found === undefined) throw nothingEarlier();
  const { target, restore } = found;
  const { changes, left } = restore;
  return { undo: { to: target, from: added ?? (before.at(-1) as Checkpoint), changes, left }, restore, captured };
}

interface Found {
  readonly target: Checkpoint;
  readonly restore: Plan;
}

/** When all that is different is left alone, on to the one before, or nobody would ever get there. */
async function firstToDiffer(
  shadow: Shadow,
  present: string,
  targets: readonly Checkpoint[],
): Promise<Found | undefined> {
  let first: Found | undefined;
  for (const target of targets) {
    const restore = await planRestore(shadow, present, target);
    if (restore.changes.length > 0) return { target, restore };
    first ??= { target, restore };
  }
  return first;
}

/**
 * At the files that are about to change or go. Git tells what has changed by times in whole seconds, so that it
 * overlooks who may read a file when that was changed in the second of the last capture.
 */
async function lookAgain(shadow: Shadow, captured: Captured, changes: readonly Change[]): Promise<Captured> {
  const suspects = changes.filter(({ change }) => change !== "added").map(({ path }) => path);
  if (suspects.length === 0) return captured;
  const again = await captureTree(shadow, suspects);
  if (again.tree === captured.tree) return again;
  throw new HookError("HOOK_BUILTIN", "files have changed while the undo was planned; nothing was undone");
}

/** Where an undo without a number goes back to: the first of these from which something differs. */
function earlierThan(all: readonly Checkpoint[], present: string): readonly Checkpoint[] {
  const last = all.at(-1);
  if (last === undefined || last.tree !== present) return all.toReversed();
  // After an undo: on from where it went, rather than back to what it undid.
  let base = last.id;
  for (let at: Checkpoint | undefined = last; at?.to !== undefined; ) {
    base = at.to;
    at = all.find(({ id }) => id === base);
  }
  return all.filter(({ id, tree }) => id < base && tree !== present).reverse();
}

export const listCheckpoints = (shadow: Shadow): Promise<readonly Checkpoint[]> => readCheckpoints(shadow.folder);

function findCheckpoint(all: readonly Checkpoint[], id: number): Checkpoint {
  const found = all.find((one) => one.id === id);
  if (found !== undefined) return found;
  const known = `there are ${all[0]?.id} to ${all.at(-1)?.id}`;
  throw new HookError("HOOK_BUILTIN", `there is no snapshot ${id} of this repository: ${known}`);
}
