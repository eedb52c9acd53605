import { join } from "node:path";
import { describeThrown, HookError } from "../../../errors.ts";
import { defaultStateFolder } from "../../../state/default-state-folder.ts";
import type { StopSignal } from "../../../stop-signal.ts";
import { type Captured, type Change, captureTree, listChangedLines, type Occasion, record } from "./capture.ts";
import { type Checkpoint, readCheckpoints } from "./checkpoints.ts";
import { findGit } from "./git.ts";
import { withLock } from "./lock.ts";
import { prune } from "./prune.ts";
import { applyRestore, type Left, type Plan, planRestore } from "./restore.ts";
import { makePrivateFolder, prepareShadow, type Shadow, shadowFolder } from "./shadow.ts";
import { findWorkTree } from "./work-tree.ts";

/** Captures and restores states of a work tree. All functions reject with a `HookError` on failure. */

/** How long to wait for another capture of the same repository, in milliseconds. */
const LOCK_WAIT_MS = 10_000;

const snapshotsFolder = (): string => join(defaultStateFolder(), "snapshots");

/** Opens the shadow of the repository that contains `cwd`. `undefined` outside of a repository, and without git. */
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

/** Captures a state. Resolves to the new checkpoint. `checkpoint` is `undefined` if the state equals the last state. */
export function takeSnapshot(
  shadow: Shadow,
  occasion: Occasion,
): Promise<{ readonly checkpoint: Checkpoint | undefined; readonly captured: Captured }> {
  return underLock(shadow, async () => {
    const captured = await captureTree(shadow);
    return { captured, checkpoint: await record(shadow, captured, occasion) };
  });
}

/** Prunes the shadow. Call this at the end of a session. */
export const pruneSnapshots = (shadow: Shadow): Promise<void> => underLock(shadow, () => prune(shadow));

export interface Shown {
  readonly checkpoint: Checkpoint;
  /** Changes since the previous checkpoint. Empty for the first checkpoint. */
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
  /** The state before the undo, which can be restored too. */
  readonly from: Checkpoint;
  readonly changes: readonly Change[];
  readonly left: readonly Left[];
}

/** Returns what {@link undo} would do now. Captures the present state. */
export async function planUndo(shadow: Shadow, id: number | undefined): Promise<Undo> {
  await refuseWithoutList(shadow);
  return underLock(shadow, async () => (await plan(shadow, id)).undo);
}

/**
 * Restores a checkpoint. Without `id`, restores the state before the last change; another call goes back one state
 * further. Adds the present state to the list first. `seen` is the tree of a plan that the user confirmed. Refuses the
 * undo if the present state differs from `seen`.
 */
export async function undo(shadow: Shadow, id: number | undefined, seen?: string): Promise<Undo> {
  await refuseWithoutList(shadow);
  return underLock(shadow, async () => {
    const { undo: planned, restore, captured } = await plan(shadow, id);
    if (seen !== undefined && captured.tree !== seen) {
      throw new HookError("HOOK_BUILTIN", "files have changed since the planned changes were shown; run undo again");
    }
    if (planned.changes.length === 0) return planned;
    try {
      await applyRestore(shadow, restore);
    } catch (error) {
      const kept = `the state before it is snapshot ${planned.from.id}`;
      throw new HookError("HOOK_BUILTIN", `${describeThrown(error)}; ${kept}`);
    }
    // The result is captured again, because files that were left alone may be part of it. Otherwise the next undo would
    // try the same state.
    await record(shadow, await captureTree(shadow), { event: "undo", session: null, to: planned.to.id });
    return planned;
  });
}

/** Throws if there is no list, so that an undo without any snapshot creates no files. */
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

/**
 * Returns the first state that an undo would change. A state whose differences are all left alone is skipped, because
 * an undo would otherwise never get further back.
 */
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
 * Reads files that will be changed or deleted again. Git compares times in whole seconds, so it misses a change of
 * permissions in the second of the last capture.
 */
async function lookAgain(shadow: Shadow, captured: Captured, changes: readonly Change[]): Promise<Captured> {
  const suspects = changes.filter(({ change }) => change !== "added").map(({ path }) => path);
  if (suspects.length === 0) return captured;
  const again = await captureTree(shadow, suspects);
  if (again.tree === captured.tree) return again;
  throw new HookError(
    "HOOK_BUILTIN",
    "files changed while the undo was planned, so nothing was undone; run undo again",
  );
}

/** Returns the states to try for an undo without `id`, in order. The first one that differs is restored. */
function earlierThan(all: readonly Checkpoint[], present: string): readonly Checkpoint[] {
  const last = all.at(-1);
  if (last === undefined || last.tree !== present) return all.toReversed();
  // After an undo, the next undo continues from the restored state, instead of undoing the undo.
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
