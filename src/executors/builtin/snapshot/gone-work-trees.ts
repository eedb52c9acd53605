import { lstat, readdir, readFile, rename, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { HookError } from "../../../errors.ts";
import type { StopSignal } from "../../../stop-signal.ts";
import { MAX_AGE_MS } from "./checkpoints.ts";
import { withLock } from "./lock.ts";
import { shadowFolder } from "./shadow.ts";

/**
 * Removes shadows of work trees that no longer exist. No other code would remove such a shadow, because it is never
 * opened again.
 */

const SHADOW = /^[0-9a-f]{32}$/;
/** The suffix of a shadow during its removal, so that no process uses an incomplete shadow. */
const GONE = ".gone";
const BEING_REMOVED = /^[0-9a-f]{32}\.gone$/;

/**
 * Removes as many of these shadows as it can until `stop` fires; the next call continues. Rejects with the first error
 * after trying all shadows.
 */
export async function removeShadowsOfGoneWorkTrees(
  snapshotsFolder: string,
  stop: StopSignal,
  now = Date.now(),
): Promise<void> {
  const stopped = new Promise<void>((resolve) => stop.addEventListener("abort", resolve, { once: true }));
  // The check whether a work tree exists may hang, for example if a file server does not answer.
  await Promise.race([stopped, sweep(snapshotsFolder, stop, now)]);
}

async function sweep(snapshotsFolder: string, stop: StopSignal, now: number): Promise<void> {
  const entries = await readdir(snapshotsFolder, { withFileTypes: true });
  // Links are skipped, because hookbox must not remove their targets.
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const failures: unknown[] = [];
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (stop.aborted) return;
    await work().catch((error: unknown) => {
      // The shadow is in use, or another process removed it.
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
  // `isLeft` is checked before locking, so that no lock is created in a shadow that is in use.
  if (!(await isLeft())) return;
  const away = `${folder}${GONE}`;
  await withLock(join(folder, "lock"), 0, stop, async () => {
    if (await isLeft()) await rename(folder, away);
  });
  await removeFolder(away, stop);
}

/** Returns the last use of a shadow. A use rewrites `attributes`; a new state changes `checkpoints.jsonl`. */
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

/** Returns `true` only if the work tree is certainly gone. A path that cannot be checked may exist. */
async function isWorkTreeGone(snapshotsFolder: string, folder: string): Promise<boolean> {
  const whole = join(folder, "whole");
  if (!(await lstat(whole)).isFile()) return false;
  const top = (await readFile(whole, "utf8")).replace(/\n$/, "");
  // A folder with another name belongs to another work tree, whatever the file says.
  if (shadowFolder(snapshotsFolder, { top }) !== folder) return false;
  try {
    await lstat(top);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

/** Removes a folder. Unlike `rm`, this can be stopped. Removes links, but not their targets. */
async function removeFolder(folder: string, stop: StopSignal): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (stop.aborted) return;
    const path = join(folder, entry.name);
    await (entry.isDirectory() ? removeFolder(path, stop) : unlink(path));
  }
  if (!stop.aborted) await rmdir(folder);
}
