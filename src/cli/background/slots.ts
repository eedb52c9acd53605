import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isOurs } from "../../cache/cache-folder.ts";
import { describeThrown } from "../../errors.ts";
import { makeFolderSync } from "../../files/make-folder.ts";
import type { Side } from "../../layer-trust.ts";
import { identityOf, isAtWork } from "../../processes/process-identity.ts";
import { defaultStateFolder } from "../../state/default-state-folder.ts";

/**
 * Limits the number of living keepers across independent processes. Each keeper has a file that is named after its
 * process. A file is void once its process has ended. There are no locks, so a killed process blocks no other process.
 */
const MAX_KEEPERS = 64;

interface Slot {
  /** Passes the slot to the keeper that was just started. */
  passTo(pid: number): void;
  giveBack(): void;
}

export type TakenSlot =
  | { readonly ok: true; readonly slot: Slot }
  /** `full` is set if the limit was reached. `full` is missing if the keepers cannot be counted. */
  | { readonly ok: false; readonly reason: string; readonly full?: { readonly limit: number; readonly value: number } };

/** Returns the folders for slots. The second folder is used if the home cannot be written. */
export function slotFolders(side: Side = "own"): readonly string[] {
  const name = side === "own" ? "keepers" : "keepers-of-projects";
  return [join(defaultStateFolder(), name), join(tmpdir(), `hookbox-${name}-${process.getuid?.() ?? "user"}`)];
}

/** Takes a slot for a keeper. Never throws. */
export function takeSlot(folders = slotFolders(), limit = MAX_KEEPERS): TakenSlot {
  let reason = "";
  for (const folder of folders) {
    try {
      return takeIn(folder, limit);
    } catch (error) {
      reason ||= describeThrown(error);
    }
  }
  return { ok: false, reason: `the processes that look after hooks cannot be counted: ${reason}` };
}

/** Removes the slots of this process. */
export function leaveSlots(folders = [...slotFolders("own"), ...slotFolders("project")]): void {
  for (const folder of folders) {
    try {
      for (const name of readdirSync(folder)) if (NAME.exec(name)?.[1] === String(process.pid)) remove(folder, name);
    } catch {
      // The folder does not exist, or it belongs to another user.
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
  // The temporary folder needs this check: a user who can write to the folder can keep hooks from starting.
  if (!stats.isDirectory() || !isOurs(stats))
    throw new Error(`${folder} is not a folder that belongs to this user only`);
  let name = nameFor(process.pid);
  // The slot is written before counting, so that two starting processes see each other. The last slot may then stay
  // free, but is never given twice.
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
      // Another process has cleared the folder. The keeper is already running, and ends without its slot.
    }
  };
  return { ok: true, slot: { passTo, giveBack: () => remove(folder, name) } };
}

/** Whether a slot's process is alive. Removes the file if the process has ended. */
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
