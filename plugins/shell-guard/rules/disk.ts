import { currentDirectory } from "../paths/directory";
import { ROOT, resolve } from "../paths/path";
import { show } from "../paths/protected";
import { UNKNOWN } from "../shell/marks";
import { deny } from "../verdict";
import { Call, hasUnit } from "./call";
import { isOneOf, same, startsWith } from "../units";

// Names of whole disks and their parts begin like this.
const DISKS: StaticArray<string> = [
  "sd",
  "hd",
  "vd",
  "xvd",
  "nvme",
  "mmcblk",
  "disk",
  "rdisk",
  "dm-",
  "md",
  "mapper",
  "sr",
  "nbd",
  "zd",
  "pmem",
];

// Below /dev, and no disks.
const HARMLESS: StaticArray<string> = ["null", "zero", "full", "fd", "shm", "pts"];

export function judgeDisk(call: Call): void {
  const name = call.name;
  if (same(name, "dd")) judgeDd(call);
  else if (startsWith(name, "mkfs") || same(name, "mke2fs") || same(name, "mkswap")) denyOn(call, "formatting a disk");
  else if (same(name, "blkdiscard")) denyOn(call, "discarding a disk");
  else if (same(name, "wipefs")) judgeWipe(call);
  else if (same(name, "shred")) denyOn(call, "shredding a disk");
}

/** Without these it only lists what it finds. */
function judgeWipe(call: Call): void {
  if (call.has("--all", 0x61) || call.has("--offset", 0x6f)) denyOn(call, "wiping a disk");
}

/** A file of the system that stands for a disk. */
export function isDisk(text: string): bool {
  const segments = devicePath(text);
  if (segments === null || segments.length < 2) return false;
  for (let i = 0; i < DISKS.length; i++) if (segments[1].startsWith(DISKS[i])) return true;
  return false;
}

function judgeDd(call: Call): void {
  for (let i = 0; i < call.args.length; i++) {
    const arg = call.args[i];
    if (!startsWith(arg, "of=")) continue;
    const segments = devicePath(arg.slice(3));
    if (segments !== null && !isHarmless(segments)) return deny(`dd writes to a device: ${show(arg.slice(3))}`);
  }
}

/** Formatting an image file is fine, and so is asking for help. */
function denyOn(call: Call, what: string): void {
  const operands = call.operands();
  for (let i = 0; i < operands.length; i++) {
    const segments = devicePath(operands[i]);
    const isDevice = segments !== null && !isHarmless(segments);
    if (isDevice || (!same(call.name, "shred") && hasUnit(operands[i], UNKNOWN)))
      return deny(`${what}: ${show(operands[i])}`);
  }
}

/** The parts of a path below /dev, or null. */
function devicePath(text: string): Array<string> | null {
  if (text.length === 0) return null;
  const path = resolve(currentDirectory().now, text);
  return path.base === ROOT && path.segments.length > 0 && same(path.segments[0], "dev") ? path.segments : null;
}

function isHarmless(segments: Array<string>): bool {
  if (segments.length < 2) return true;
  const name = segments[1];
  if (isOneOf(HARMLESS, name)) return true;
  return startsWith(name, "std") || startsWith(name, "tty") || name.endsWith("random");
}
