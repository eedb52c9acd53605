import { type BigIntStats, constants } from "node:fs";
import { join } from "node:path";
import { TextDecoder } from "node:util";
import { ask, type Steps, shut } from "./disk.ts";

/**
 * Opens a file or folder and determines its real location, even if another process changes links in the path at the
 * same time. Callers check this location, and not the path, before they read.
 */

export interface Opened {
  /** A descriptor for fstat and close only. Nothing is read through it. */
  readonly fd: number;
  /** The absolute path without links. */
  readonly location: string;
  /** A path that leads to this file or folder only, while `fd` is open. */
  readonly path: string;
  readonly stats: BigIntStats;
}

/** Opens files. Each function throws the system's error. Callers close what they receive. */
export interface Opener {
  /** Opens a path and follows links. */
  follow(path: string): Steps<Opened>;
  /** Opens a path that should have no links. If it has one, `location` differs from the path, or {@link UnsafePath} is thrown. */
  straight(path: string): Steps<Opened>;
  /** Opens an entry of an open folder. Throws {@link UnsafePath} if the entry is not a file or folder. */
  enter(folder: Opened, name: string): Steps<Opened>;
  /** Opens the same regular file for reading. */
  reopen(opened: Opened): Steps<number>;
  /** Throws {@link UnsafePath} if the open place is no longer at its location. */
  checkAgain(opened: Opened): Steps<void>;
}

/** Thrown for a place that exists and must not be used. `message` completes a sentence: "is a symbolic link". */
export class UnsafePath extends Error {
  override readonly name = "UnsafePath";
}

const REPLACED = "was replaced while it was being opened";

/** Linux flag that opens a place in the file system without opening the file. A pipe or a device is not affected. */
const O_PATH = 0o10000000;

/** Flags for reading that prevent blocking on a pipe and acquiring a terminal. Windows has neither flag. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const LOOKS = 4;
export const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** Uses `/proc/self/fd`: the kernel reports a descriptor's location and reopens it, so no path can be exchanged. */
export const byDescriptor: Opener = {
  follow: (path) => openPlace(path, O_PATH),
  straight: (path) => openPlace(path, O_PATH | NO_LINK),
  *enter(folder, name) {
    const opened = yield* openPlace(`${folder.path}/${name}`, O_PATH | NO_LINK);
    return yield* orClose(opened.fd, plain(opened));
  },
  reopen: ({ path }) => ask("open", path, READ),
  *checkAgain({ path, location }) {
    if (textOf(yield* ask("readlink", path)) !== location) throw new UnsafePath(REPLACED);
  },
};

function* openPlace(place: string, flags: number): Steps<Opened> {
  const fd = yield* ask("open", place, flags);
  return yield* orClose(fd, described(fd));
}

function* described(fd: number): Steps<Opened> {
  const path = `/proc/self/fd/${fd}`;
  return { fd, path, location: textOf(yield* ask("readlink", path)), stats: yield* ask("fstat", fd) };
}

// biome-ignore lint/correctness/useYield: steps without a file system call
function* plain(opened: Opened): Steps<Opened> {
  checkKind(opened.stats);
  return opened;
}

/**
 * For systems without `/proc/self/fd`. The location counts only if the path has no links and leads to the same file in
 * several checks. An attacker would have to exchange a folder and put it back between every two checks.
 */
export const byComparison: Opener = {
  *follow(path) {
    return yield* openCompared(textOf(yield* ask("realpath", path)));
  },
  straight: (path) => openCompared(path),
  enter: (folder, name) => openCompared(join(folder.location, name)),
  reopen: function* (opened) {
    const fd = yield* ask("open", opened.location, READ | NO_LINK);
    yield* orClose(fd, compared(fd, opened.location));
    return fd;
  },
  *checkAgain({ fd, location }) {
    yield* compared(fd, location);
  },
};

function* openCompared(location: string): Steps<Opened> {
  const before = yield* ask("lstat", location);
  if (before === undefined) throw Object.assign(new Error("no file or folder has this name"), { code: "ENOENT" });
  // The kind is checked before opening, because opening a pipe is visible to the process at its other end.
  checkKind(before);
  const fd = yield* ask("open", location, READ | NO_LINK);
  return { fd, location, path: location, stats: yield* orClose(fd, compared(fd, location)) };
}

function* compared(fd: number, location: string): Steps<BigIntStats> {
  const opened = yield* ask("fstat", fd);
  for (let look = 0; look < LOOKS; look++) {
    const there = yield* ask("lstat", location);
    const isSame = there !== undefined && opened.dev === there.dev && opened.ino === there.ino;
    if (!isSame || textOf(yield* ask("realpath", location)) !== location) throw new UnsafePath(REPLACED);
  }
  return opened;
}

function checkKind(stats: BigIntStats): void {
  if (stats.isFile() || stats.isDirectory()) return;
  throw new UnsafePath(stats.isSymbolicLink() ? "is a symbolic link" : "is not a regular file");
}

export function* orClose<Value>(fd: number, steps: Steps<Value>): Steps<Value> {
  try {
    return yield* steps;
  } catch (error) {
    yield* shut(fd);
    throw error;
  }
}

/** Returns `byDescriptor` if the system supports it, otherwise `byComparison`. */
export function* usualOpener(): Steps<Opener> {
  if (process.platform !== "linux") return byComparison;
  try {
    const { fd, location } = yield* byDescriptor.follow("/");
    yield* shut(fd);
    return location === "/" ? byDescriptor : byComparison;
  } catch {
    return byComparison;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes a name. Throws for invalid UTF-8, because decoding would turn different names into one text. */
function textOf(bytes: string | Buffer): string {
  try {
    return typeof bytes === "string" ? bytes : decoder.decode(bytes);
  } catch {
    throw new UnsafePath("is in a folder whose name is not UTF-8");
  }
}

/** Reads to the end of the file, at most `maxBytes`. */
export function* readStart(fd: number, maxBytes: number, isStopped: () => boolean = () => false): Steps<Buffer> {
  const chunks: Buffer[] = [];
  for (let left = maxBytes; left > 0 && !isStopped(); ) {
    const chunk = Buffer.allocUnsafe(Math.min(left, CHUNK_BYTES));
    const count = yield* ask("read", fd, chunk, 0);
    if (count === 0) break;
    chunks.push(chunk.subarray(0, count));
    left -= count;
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

const CHUNK_BYTES = 65_536;
