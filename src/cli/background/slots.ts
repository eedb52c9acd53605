import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isOurs } from "../../cache/cache-folder.ts";
import { describeThrown } from "../../errors.ts";
import { makeFolderSync } from "../../files/make-folder.ts";
import { identityOf, isAtWork } from "../../processes/process-identity.ts";
import type { Side } from "../../rule.ts";
import { defaultStateFolder } from "../../state/state-folder.ts";

/**
 * So many keepers may be alive at once, over processes that know nothing of each other: each has a file that is named
 * after it. Nobody locks anything, and a file is of no account once its process is dead, so that nothing is ever stuck.
 */
export const MAX_KEEPERS = 64;

export interface Slot {
  /** To the keeper, as soon as it has been started. */
  passTo(pid: number): void;
  giveBack(): void;
}

export type TakenSlot =
  | { readonly ok: true; readonly slot: Slot }
  /** With a limit that was hit, or without one where it cannot be told how many there are. */
  | { readonly ok: false; readonly reason: string; readonly full?: { readonly limit: number; readonly value: number } };

/** The second for a home that cannot be written to. */
export function slotFolders(side: Side = "own"): readonly string[] {
  const name = side === "own" ? "keepers" : "keepers-of-projects";
  return [join(defaultStateFolder(), name), join(tmpdir(), `hookbox-${name}-${process.getuid?.() ?? "user"}`)];
}

/** Never throws. */
export function takeSlot(folders = slotFolders(), limit = MAX_KEEPERS): TakenSlot {
  let reason = "";
  for (const folder of folders) {
    try {
      return takeIn(folder, limit);
    } catch (error) {
      reason ||= describeThrown(error);
    }
  }
  return { ok: false, reason: `how many of them there are cannot be counted: ${reason}` };
}

/** What this process has as a keeper. */
export function leaveSlots(folders = [...slotFolders("own"), ...slotFolders("project")]): void {
  for (const folder of folders) {
    try {
      for (const name of readdirSync(folder)) if (NAME.exec(name)?.[1] === String(process.pid)) remove(folder, name);
    } catch {
      // There is no such folder, or it is not ours.
    }
  }
}

const NAME = /^([1-9]\d*)\.(\d*)\.[0-9a-f]{16}$/;

function nameFor(pid: number): string {
  return `${pid}.${identityOf(pid).born}.${randomBytes(8).toString("hex")}`;
}

function takeIn(folder: string, limit: number): TakenSlot {
  makeFolderSync(folder, 0o700);
  const stats = lstatSync(folder);
  // Among temporary files anybody may have made it, and whoever can write here decides whether hooks are started.
  if (!stats.isDirectory() || !isOurs(stats)) throw new Error(`${folder} is not a folder of this user alone`);
  let name = nameFor(process.pid);
  // Before the others are counted: of two that come at once each sees the other, and the last place may stay free, but
  // is never given twice.
  writeFileSync(join(folder, name), "", { flag: "wx", mode: 0o600 });
  const value = readdirSync(folder).filter((one) => isTaken(folder, one)).length;
  if (value > limit) {
    remove(folder, name);
    const reason = `${value - 1} processes are looking after hooks in the background, and the limit is ${limit}`;
    return { ok: false, reason, full: { limit, value } };
  }
  const passTo = (pid: number): void => {
    const passed = nameFor(pid);
    try {
      renameSync(join(folder, name), join(folder, passed));
      name = passed;
    } catch {
      // Somebody has cleared the folder. The keeper is at work by now, and ends by itself.
    }
  };
  return { ok: true, slot: { passTo, giveBack: () => remove(folder, name) } };
}

/** Files of the dead are removed on the way: none is named like one of the living. */
function isTaken(folder: string, name: string): boolean {
  const [, pid, born = ""] = NAME.exec(name) ?? [];
  if (pid === undefined) return false;
  if (isAtWork({ pid: Number(pid), born })) return true;
  remove(folder, name);
  return false;
}

function remove(folder: string, name: string): void {
  rmSync(join(folder, name), { force: true });
}
