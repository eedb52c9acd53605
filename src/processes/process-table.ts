import { closeSync, openSync, readdirSync, readlinkSync, readSync, statSync } from "node:fs";

/** What the system says of processes, in `/proc`. Where there is none, nothing is known of anybody. */

export interface TableEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** When it was born, in the system's own words: a number may be given to another one. */
  readonly born: string;
  /** Dead ones that are not buried are not at work. */
  readonly isDead: boolean;
}

const CHUNK_BYTES = 65_536;
/** More than Linux lets a process have by default. */
const MAX_FILE_BYTES = 8 * 1_048_576;
const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);

/** In a container that was given the outer `/proc`, its numbers are those of other processes than ours. */
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
  // From the state on; what stands before it, the program's name, may hold anything.
  const [state = "", parent, group, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { pid, parent: Number(parent), group: Number(group), born: rest[16] ?? "", isDead: /^[ZX]/.test(state) };
}

/** `undefined` where the system does not say. */
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

/** `NAME=value` after `NAME=value`, with NUL behind each, as it was given to a process of our own user. */
export function ownEnvironmentOf(pid: number): string {
  try {
    if (statSync(`/proc/${pid}`).uid !== process.geteuid?.()) return "";
  } catch {
    return "";
  }
  return contentOf(`/proc/${pid}/environ`) ?? "";
}

/** Into the same memory again and again: of files without a size, Node would ask for new memory for each. */
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
    // It has ended meanwhile, or is somebody else's.
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function isNumber(name: string): boolean {
  return /^[1-9]\d*$/.test(name);
}
