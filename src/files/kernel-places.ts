import { sep } from "node:path";
import { ask, type Steps } from "./disk.ts";
import type { Opened } from "./opened-file.ts";

/** What the kernel shows of itself and of processes: environments, memory, other roots. */
const OF_THE_KERNEL = ["/proc", "/sys", "/dev"];
/** The one folder there for everybody's files. */
const SHARED_MEMORY = "/dev/shm";
/** Those that somebody may have mounted under another name as well. */
const MOUNTED = ["/proc", "/sys"];

export function isWithin(place: string, folder: string): boolean {
  const bare = folder.endsWith(sep) && folder.length > 1 ? folder.slice(0, -1) : folder;
  return place === bare || place.startsWith(bare.endsWith(sep) ? bare : bare + sep);
}

/** By the location alone. */
export function isKernels(location: string): boolean {
  if (process.platform === "win32" || isWithin(location, SHARED_MEMORY)) return false;
  return OF_THE_KERNEL.some((folder) => isWithin(location, folder));
}

/** The devices of file systems that are the kernel's own. One that is not mounted is a folder like any other. */
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
