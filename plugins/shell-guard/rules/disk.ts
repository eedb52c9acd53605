import { UNKNOWN } from "../../../src/shell/marks.ts";
import { resolve } from "../paths/path.ts";
import { show } from "../paths/protected.ts";
import type { Shell } from "../shell.ts";
import { type Call, has, operandsOf } from "./call.ts";
import { damageOf } from "./table.ts";

const DISK_WRITE = damageOf("disk-write");

/** Matches the beginnings of the names of disks and their partitions. */
const DISK = /^(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|dm-|md|mapper|sr|nbd|zd|pmem)/;
/** Matches names below /dev that are not disks. */
const HARMLESS = /^(?:(?:null|zero|full|fd|shm|pts)$|std|tty)|random$/;

export function judgeDd(shell: Shell, { args }: Call): void {
  for (const arg of args) {
    if (!arg.startsWith("of=")) continue;
    const target = arg.slice(3);
    const device = deviceOf(shell, target);
    if (device !== undefined && !HARMLESS.test(device)) {
      shell.report(DISK_WRITE, `dd writes to a device: ${show(target)}`);
    }
  }
}

export function judgeFormat(shell: Shell, call: Call): void {
  denyDevice(shell, call, "formatting a disk");
}

export function judgeDiscard(shell: Shell, call: Call): void {
  denyDevice(shell, call, "discarding a disk");
}

export function judgeShred(shell: Shell, call: Call): void {
  denyDevice(shell, call, "shredding a disk");
}

export function judgeWipe(shell: Shell, call: Call): void {
  // Without these options wipefs only lists what it finds.
  if (has(call, "--all", "a") || has(call, "--offset", "o")) denyDevice(shell, call, "wiping a disk");
}

/** Denies the target unless it is an image file, or the help is shown. */
function denyDevice(shell: Shell, call: Call, what: string): void {
  for (const target of operandsOf(call)) {
    const device = deviceOf(shell, target);
    const isDevice = device !== undefined && !HARMLESS.test(device);
    if (isDevice || (call.name !== "shred" && target.includes(UNKNOWN))) {
      shell.report(DISK_WRITE, `${what}: ${show(target)}`);
    }
  }
}

/** Whether the target is a device file of a disk. */
export function isDisk(shell: Shell, target: string): boolean {
  const device = deviceOf(shell, target);
  return device !== undefined && DISK.test(device);
}

/** Returns the first name below /dev, if the path leads there. */
function deviceOf(shell: Shell, target: string): string | undefined {
  const { now } = shell.places.directories;
  if (!target.includes("dev") && now.segments[0] !== "dev") return undefined;
  shell.spendOnPath(target);
  const { base, segments } = resolve(now, target);
  return base === "root" && segments[0] === "dev" ? segments[1] : undefined;
}
