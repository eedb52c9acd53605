import { closeSync, fstatSync, lstatSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { isOurs } from "../../cache/cache-folder.ts";
import { callersEnvironment, callersProcess } from "../../caller.ts";
import { makeFolderSync } from "../../files/make-folder.ts";
import { parseJsonObject } from "../../json.ts";
import { isPrivateFolder } from "../../state/private-folder.ts";
import { whyVariableHasNoEffect } from "./agent-process.ts";
import { OFF_VARIABLE, offFiles } from "./off-file.ts";

/** Whether hookbox is switched off now, and who has switched it off. */

/** What `hookbox disable` records. */
export interface OffRecord {
  readonly since: string;
  readonly until: string;
  readonly by: string;
  readonly terminal: string;
}

export type Off = (OffRecord & { readonly how: "command" }) | { readonly how: "variable" };

/** The longest time for which hookbox can be switched off, in milliseconds. */
export const MOST_OFF_MS = 24 * 3_600_000;
/** How far the system may set its clock back while hookbox is off, in milliseconds. */
const MOST_CLOCK_STEP_MS = 60_000;

/** Returns why hookbox is off now. `undefined`: hookbox judges events. */
export function offNow(): Off | undefined {
  for (const file of offFiles()) {
    const record = readRecord(file);
    if (record !== undefined && Date.parse(record.until) > Date.now()) return { ...record, how: "command" };
    if (record !== undefined) setAside(file);
  }
  if (callersEnvironment()[OFF_VARIABLE] === undefined) return undefined;
  return whyVariableHasNoEffect(callersProcess()) === undefined ? { how: "variable" } : undefined;
}

/** Returns the last record of `hookbox disable` whose time is over. */
export function lastRecord(): OffRecord | undefined {
  return offFiles().flatMap((file) => readRecord(file) ?? readRecord(asideOf(file)) ?? [])[0];
}

const asideOf = (file: string): string => join(dirname(file), "last-disabled.json");

/** Renames a record whose time is over, so that the next events need not read it. */
function setAside(file: string): void {
  try {
    renameSync(file, asideOf(file));
  } catch {
    // Another process has renamed it, or the disk cannot be written. The time is over in any case.
  }
}

/**
 * Reads a record that only this user could write on this machine. The record names its own inode, so a file that came
 * with a repository or an archive does not count, even if a variable leads to its folder.
 */
function readRecord(file: string): OffRecord | undefined {
  try {
    const stats = lstatSync(file);
    if (!isPrivateFolder(dirname(file)) || !stats.isFile() || !isOurs(stats)) return undefined;
    const { inode, since, until, by, terminal } = parseJsonObject(readFileSync(file, "utf8")) ?? {};
    if (inode !== `${stats.dev}:${stats.ino}`) return undefined;
    const begunMs = Date.parse(String(since));
    const lengthMs = Date.parse(String(until)) - begunMs;
    // A record from the future would switch hookbox off for longer than its time, for example after the clock was set back.
    if (!(lengthMs >= 0 && lengthMs <= MOST_OFF_MS && begunMs <= Date.now() + MOST_CLOCK_STEP_MS)) return undefined;
    return { since: String(since), until: String(until), by: String(by), terminal: String(terminal) };
  } catch {
    return undefined;
  }
}

/** Records that hookbox is off for this time from now on. Returns the record. */
export function recordOff(forMs: number, terminal: string): OffRecord {
  const [file = ""] = offFiles();
  const now = Date.now();
  const [since = "", until = ""] = [now, now + forMs].map((time) => new Date(time).toISOString());
  return write(file, { since, until, by: userName(), terminal });
}

/** Ends the time of the record now. Returns `undefined` if hookbox was on. */
export function recordOn(): OffRecord | undefined {
  let ended: OffRecord | undefined;
  for (const file of offFiles()) {
    const record = readRecord(file);
    if (record === undefined || Date.parse(record.until) <= Date.now()) continue;
    ended = write(file, { ...record, until: new Date().toISOString() });
    setAside(file);
  }
  return ended;
}

function write(file: string, record: OffRecord): OffRecord {
  makeFolderSync(dirname(file), 0o700);
  isPrivateFolder(dirname(file));
  const draft = `${file}.${process.pid}`;
  rmSync(draft, { force: true });
  const fd = openSync(draft, "wx", 0o600);
  try {
    const { dev, ino } = fstatSync(fd);
    writeSync(fd, `${JSON.stringify({ ...record, inode: `${dev}:${ino}` }, null, 2)}\n`);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, file);
  return record;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? ""}`;
  }
}

/** Returns a sentence for the agent's user. */
export function offText(off: Off): string {
  if (off.how === "variable")
    return `hookbox is switched off: ${OFF_VARIABLE} was set when the agent was started. No rule judged this event.`;
  return `hookbox is switched off until ${clockTime(off.until)}, by "hookbox disable". No rule judged this event. To switch it on: hookbox enable`;
}

/** Returns a time as hours and minutes of this machine's clock, with the date if it is not today. */
export function clockTime(iso: string): string {
  const time = new Date(iso);
  const two = (number: number): string => String(number).padStart(2, "0");
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  const isToday = time.toDateString() === new Date().toDateString();
  return isToday ? clock : `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clock}`;
}
