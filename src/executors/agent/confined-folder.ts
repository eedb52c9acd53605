import { opendir, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, normalize, relative, resolve, sep } from "node:path";
import { shut, takeSteps, WAITING, type WaitingDisk } from "../../files/disk.ts";
import { isKernels, isOfTheKernel, isWithin, kernelDevices } from "../../files/kernel-folders.ts";
import { type Opened, type Opener, readStart, usualOpener } from "../../files/opened-file.ts";
import type { StopSignal } from "../../stop-signal.ts";

/**
 * A folder whose files may be read. Each path is checked twice: its text, before the disk is touched, and the real
 * location of the opened file, which links cannot fake. A file outside of the folder is reported like a missing file,
 * so that a link does not reveal what exists there. Hard links look like ordinary files.
 */
export interface ConfinedFolder {
  /** The absolute path without links. */
  readonly root: string;
  /** Reads the first bytes of a regular file, at most `maxBytes`. */
  read(path: string, maxBytes: number, stop: StopSignal): Promise<Found<FileStart>>;
  /** Lists a folder, sorted by name, at most `maxEntries`. If there are more, any of them may be missing. */
  list(path: string, maxEntries: number, stop: StopSignal): Promise<Found<Listing>>;
}

export type Found<Value> =
  | { readonly ok: true; readonly value: Value }
  /** A failure. `message` is for the model. */
  | { readonly ok: false; readonly message: string };

interface FileStart {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

export interface Listing {
  /** The path below the root, with `/`. Empty for the root itself. */
  readonly folder: string;
  readonly entries: readonly { readonly name: string; readonly kind: "file" | "folder" | "other" }[];
  readonly isWhole: boolean;
}

const MAX_PATH_LENGTH = 4_096;

const NOT_THERE = "there is no such file or folder in the working directory, or it cannot be read";

type OpenedFolder =
  | { readonly ok: true; readonly folder: ConfinedFolder }
  | { readonly ok: false; readonly reason: string };

/** Opens the folder `cwd` of an event. `opener` and `disk` are for tests. */
export async function openFolder(cwd: unknown, opener?: Opener, disk: WaitingDisk = WAITING): Promise<OpenedFolder> {
  if (typeof cwd !== "string" || cwd === "") return { ok: false, reason: "the event names no working directory" };
  if (!isAbsolute(cwd)) return { ok: false, reason: "the event's working directory is not an absolute path" };
  try {
    const root = await realpath(cwd);
    if (!(await stat(root)).isDirectory()) return { ok: false, reason: "the event's working directory is no folder" };
    if (isKernels(root)) return { ok: false, reason: "the event's working directory is one of the kernel's" };
    return { ok: true, folder: await confine(root, normalize(cwd), opener ?? (await takeSteps(usualOpener())), disk) };
  } catch {
    return { ok: false, reason: "the event's working directory does not exist, or cannot be entered" };
  }
}

async function confine(root: string, spelled: string, opener: Opener, disk: WaitingDisk): Promise<ConfinedFolder> {
  const kernel = await takeSteps(kernelDevices());

  /** Opens a path, checks its location, calls `use`, and always closes the path. */
  async function within<Value>(path: string, use: (opened: Opened) => Promise<Found<Value>>): Promise<Found<Value>> {
    const place = placeOf(path, root, spelled);
    if (!place.ok) return place;
    let opened: Opened;
    try {
      opened = await takeSteps(opener.follow(place.value), disk);
    } catch {
      return { ok: false, message: NOT_THERE };
    }
    try {
      if (!isWithin(opened.location, root) || isOfTheKernel(opened, kernel)) return { ok: false, message: NOT_THERE };
      return await use(opened);
    } catch {
      return { ok: false, message: NOT_THERE };
    } finally {
      await takeSteps(shut(opened.fd), disk);
    }
  }

  async function read(opened: Opened, maxBytes: number, stop: StopSignal): Promise<Found<FileStart>> {
    if (opened.stats.isDirectory()) return { ok: false, message: "this is a folder, not a file" };
    if (!opened.stats.isFile()) return { ok: false, message: "this is not a regular file" };
    const fd = await takeSteps(opener.reopen(opened), disk);
    try {
      // One more byte is read, because it shows whether the file is longer.
      const bytes = await takeSteps(
        readStart(fd, maxBytes + 1, () => stop.aborted),
        disk,
      );
      return { ok: true, value: { bytes: bytes.subarray(0, maxBytes), isWhole: bytes.length <= maxBytes } };
    } finally {
      await takeSteps(shut(fd), disk);
    }
  }

  return {
    root,
    read: (path, maxBytes, stop) => within(path, (opened) => read(opened, maxBytes, stop)),
    list: (path, maxEntries, stop) => within(path, (opened) => listEntries(opened, root, maxEntries, stop)),
  };
}

/**
 * Returns the place of a path by its text. The path may start with the root as the event spells it (`spelled`) or as
 * the system resolves it (`root`).
 */
function placeOf(path: string, root: string, spelled: string): Found<string> {
  if (path.length > MAX_PATH_LENGTH) {
    return { ok: false, message: `the path is ${path.length} characters long; the limit is ${MAX_PATH_LENGTH}` };
  }
  if (path.includes("\0")) return { ok: false, message: "the path has a NUL character in it" };
  const place = isAbsolute(path) ? normalize(path) : resolve(root, path);
  if (isWithin(place, root)) return { ok: true, value: place };
  if (isWithin(place, spelled)) return { ok: true, value: join(root, relative(spelled, place)) };
  return { ok: false, message: "the path leads out of the working directory, and nothing outside can be read" };
}

async function listEntries(
  { location, path, stats }: Opened,
  root: string,
  maxEntries: number,
  stop: StopSignal,
): Promise<Found<Listing>> {
  if (!stats.isDirectory()) return { ok: false, message: "this is not a folder" };
  const folder = relative(root, location).replaceAll(sep, "/");
  const entries: Listing["entries"][number][] = [];
  const names = await opendir(path, { bufferSize: 256 });
  let isWhole = false;
  try {
    while (!stop.aborted && entries.length < maxEntries) {
      const entry = await names.read();
      if (entry === null) {
        isWhole = true;
        break;
      }
      const kind = entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other";
      entries.push({ name: entry.name, kind });
    }
  } finally {
    await names.close();
  }
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  return { ok: true, value: { folder, entries, isWhole } };
}
