import { closeSync, openSync, readdirSync, readlinkSync, readSync, statSync } from "node:fs";

/** Reads processes from `/proc`. Returns nothing on systems without `/proc`. */

export interface TableEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The start time in the system's own form, because ids are reused. */
  readonly born: string;
  /** Whether the process has ended and was not reaped yet. */
  readonly isDead: boolean;
}

const CHUNK_BYTES = 65_536;
/** The maximum size of a file: more than Linux allows for the environment of a process by default. */
const MAX_FILE_BYTES = 8 * 1_048_576;
const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);

/** Whether `/proc` has this process's ids. A container may show the `/proc` of the host instead. */
let isOurTable: boolean | undefined;

function hasOurNumbers(): boolean {
  try {
    isOurTable ??= readlinkSync("/proc/self") === String(process.pid);
  } catch {
    isOurTable = false;
  }
  return isOurTable;
}

export function pidsOfAll(): readonly number[] {
  if (!hasOurNumbers()) return [];
  try {
    return readdirSync("/proc").filter(isNumber).map(Number);
  } catch {
    return [];
  }
}

export function entryOf(pid: number): TableEntry | undefined {
  if (!hasOurNumbers()) return undefined;
  const text = contentOf(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The fields after the program's name are used, because the name may contain any characters.
  const [state = "", parent, group, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { pid, parent: Number(parent), group: Number(group), born: rest[16] ?? "", isDead: /^[ZX]/.test(state) };
}

/** Returns the start time of a process. `undefined` if the system does not report it. */
export function bornAt(pid: number): string | undefined {
  return entryOf(pid)?.born;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return entryOf(pid)?.isDead !== true;
}

/** Returns the environment at the start of a process of this user: `NAME=value` entries, each followed by NUL. */
export function ownEnvironmentOf(pid: number): string {
  try {
    if (statSync(`/proc/${pid}`).uid !== process.geteuid?.()) return "";
  } catch {
    return "";
  }
  return contentOf(`/proc/${pid}/environ`) ?? "";
}

/** Reads into one shared buffer, because Node allocates a new buffer for each file without a size. */
function contentOf(file: string): string | undefined {
  let text = "";
  let fd: number | undefined;
  try {
    fd = openSync(file, "r");
    for (let bytes = -1; bytes !== 0 && text.length < MAX_FILE_BYTES; ) {
      bytes = readSync(fd, chunk, 0, CHUNK_BYTES, null);
      text += chunk.toString("latin1", 0, bytes);
    }
    return text;
  } catch {
    // The process has ended, or belongs to another user.
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function isNumber(name: string): boolean {
  return /^[1-9]\d*$/.test(name);
}
