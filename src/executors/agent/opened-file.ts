import { constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";

/**
 * Opens something and says where that truly lies: whatever path led there, and whatever somebody changed on that path
 * meanwhile. Only the location of what is open counts; whoever opens looks at it before reading.
 */

export interface Opened {
  /** To tell what it is. Nothing is read through it. */
  readonly handle: FileHandle;
  /** Absolute, without links. */
  readonly location: string;
  /** Leads to the very same file or folder, and nowhere else, while `handle` is open. */
  readonly path: string;
  /** Opens the same file again to read it: for regular files only. */
  read(): Promise<FileHandle>;
}

/** Opens what a path leads to. Rejects with what the system says. */
export type Opener = (path: string) => Promise<Opened>;

/** Linux: opens a place in the file system without opening the file. A pipe or a device does not notice. */
const O_PATH = 0o10000000;

/** A pipe without a writer, or a device, must not keep us; and no terminal become ours. Windows has neither word. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const LOOKS = 4;
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** The kernel says where a descriptor leads, and opens the same thing again by it: there is no moment to swap in. */
export const openByDescriptor: Opener = async (path) => {
  const handle = await open(path, O_PATH);
  try {
    const same = `/proc/self/fd/${handle.fd}`;
    return { handle, location: await readlink(same), path: same, read: () => open(same, READ) };
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/**
 * For systems without `/proc/self/fd`: what is open counts as lying where its path leads only if that path has no link
 * in it and leads to the same file, several times over. To fool it, somebody would have to exchange a folder and put it
 * back between any two of these looks.
 */
export const openByComparison: Opener = async (path) => {
  const location = await realpath(path);
  const before = await lstat(location);
  // To open these is to be heard by whoever waits at the other end.
  if (!before.isFile() && !before.isDirectory()) throw new Error("not a file or folder");
  const handle = await open(location, READ | NO_LINK);
  const check = async (other: FileHandle): Promise<void> => {
    const opened = await other.stat({ bigint: true });
    for (let look = 0; look < LOOKS; look++) {
      const there = await lstat(location, { bigint: true });
      const isSame = opened.dev === there.dev && opened.ino === there.ino;
      if (!isSame || (await realpath(location)) !== location) throw new Error("it was exchanged meanwhile");
    }
  };
  const read = async (): Promise<FileHandle> => {
    const other = await open(location, READ | NO_LINK);
    try {
      await check(other);
      return other;
    } catch (error) {
      await other.close();
      throw error;
    }
  };
  try {
    await check(handle);
    return { handle, location, path: location, read };
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/** The stricter of the two where the system has what it needs. */
export async function usualOpener(): Promise<Opener> {
  if (process.platform !== "linux") return openByComparison;
  const opened = await openByDescriptor("/").catch(() => undefined);
  await opened?.handle.close();
  return opened?.location === "/" ? openByDescriptor : openByComparison;
}
