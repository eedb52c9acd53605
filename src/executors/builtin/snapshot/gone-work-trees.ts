import { lstat, readdir, readFile, rename, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { HookError } from "../../../errors.ts";
import type { StopSignal } from "../../../stop-signal.ts";
import { MAX_AGE_MS } from "./checkpoints.ts";
import { withLock } from "./lock.ts";
import { shadowFolder } from "./shadow.ts";

/** Shadows of work trees that are not there any more: nobody will ever open them again, and so nobody would tidy them up. */

const SHADOW = /^[0-9a-f]{32}$/;
/** What it is called while it is removed, so that nobody takes the rest of it for a shadow. */
const GONE = ".gone";
const BEING_REMOVED = /^[0-9a-f]{32}\.gone$/;

/**
 * Removes them as far as it gets until it is stopped; the next one goes on. Rejects with what kept it from removing one,
 * after it has tried all.
 */
export async function removeShadowsOfGoneWorkTrees(
  snapshotsFolder: string,
  stop: StopSignal,
  now = Date.now(),
): Promise<void> {
  const stopped = new Promise<void>((resolve) => stop.addEventListener("abort", resolve, { once: true }));
  // To look whether a work tree is there may take for ever, where a server does not answer.
  await Promise.race([stopped, sweep(snapshotsFolder, stop, now)]);
}

async function sweep(snapshotsFolder: string, stop: StopSignal, now: number): Promise<void> {
  const entries = await readdir(snapshotsFolder, { withFileTypes: true });
  // A link is no folder here: what it leads to is not ours to remove.
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const failures: unknown[] = [];
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (stop.aborted) return;
    await work().catch((error: unknown) => {
      // It is in use, or another process has removed it.
      if (!(error instanceof HookError) && (error as NodeJS.ErrnoException).code !== "ENOENT") failures.push(error);
    });
  };
  for (const name of folders.filter((one) => BEING_REMOVED.test(one))) {
    await attempt(() => removeFolder(join(snapshotsFolder, name), stop));
  }
  for (const name of folders.filter((one) => SHADOW.test(one))) {
    await attempt(() => removeIfGone(snapshotsFolder, name, stop, now));
  }
  if (failures.length > 0) throw failures[0];
}

async function removeIfGone(snapshotsFolder: string, name: string, stop: StopSignal, now: number): Promise<void> {
  const folder = join(snapshotsFolder, name);
  const isLeft = async (): Promise<boolean> =>
    now - (await lastUseMs(folder)) > MAX_AGE_MS && (await isWorkTreeGone(snapshotsFolder, folder));
  // Not even a lock is made in what is in use.
  if (!(await isLeft())) return;
  const away = `${folder}${GONE}`;
  await withLock(join(folder, "lock"), 0, stop, async () => {
    if (await isLeft()) await rename(folder, away);
  });
  await removeFolder(away, stop);
}

/** Every use writes the second one anew, and every one that finds something new the first. */
async function lastUseMs(folder: string): Promise<number> {
  const files = ["checkpoints.jsonl", join("git", "info", "attributes"), "whole"];
  const times = await Promise.all(
    files.map((file) =>
      lstat(join(folder, file)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return Math.max(...times);
}

/** Certainly, that is: what cannot be looked at may be there. */
async function isWorkTreeGone(snapshotsFolder: string, folder: string): Promise<boolean> {
  const whole = join(folder, "whole");
  if (!(await lstat(whole)).isFile()) return false;
  const top = (await readFile(whole, "utf8")).replace(/\n$/, "");
  // Of another name it was not made for this work tree, whatever it says.
  if (shadowFolder(snapshotsFolder, { top }) !== folder) return false;
  try {
    await lstat(top);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

/** Unlike `rm` it can be stopped in the middle. A link is removed, and never what it leads to. */
async function removeFolder(folder: string, stop: StopSignal): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (stop.aborted) return;
    const path = join(folder, entry.name);
    await (entry.isDirectory() ? removeFolder(path, stop) : unlink(path));
  }
  if (!stop.aborted) await rmdir(folder);
}
