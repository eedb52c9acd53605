import { sep } from "node:path";
import { ask, type Steps } from "./disk.ts";
import type { Opened } from "./opened-file.ts";

/** Folders in which the kernel shows processes' environments, memory and other roots. */
const OF_THE_KERNEL = ["/proc", "/sys", "/dev"];
/** The only folder of the kernel with ordinary files. */
const SHARED_MEMORY = "/dev/shm";
/** File systems that may also be mounted under another name. */
const MOUNTED = ["/proc", "/sys"];

export function isWithin(place: string, folder: string): boolean {
  const bare = folder.endsWith(sep) && folder.length > 1 ? folder.slice(0, -1) : folder;
  return place === bare || place.startsWith(bare.endsWith(sep) ? bare : bare + sep);
}

/** Whether a path without links leads into a folder of the kernel, by the path alone. */
export function isKernels(location: string): boolean {
  if (process.platform === "win32" || isWithin(location, SHARED_MEMORY)) return false;
  return OF_THE_KERNEL.some((folder) => isWithin(location, folder));
}

/** Returns the device numbers of the kernel's file systems. A folder without such a mount is an ordinary folder. */
export function* kernelDevices(): Steps<ReadonlySet<bigint>> {
  if (process.platform === "win32") return new Set();
  const root = yield* ask("lstat", "/");
  const devices = new Set<bigint>();
  for (const folder of MOUNTED) {
    const stats = yield* ask("lstat", folder);
    if (stats !== undefined && stats.dev !== root?.dev) devices.add(stats.dev);
  }
  return devices;
}

export function isOfTheKernel({ location, stats }: Opened, devices: ReadonlySet<bigint>): boolean {
  return isKernels(location) || devices.has(stats.dev);
}
