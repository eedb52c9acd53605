import { type BigIntStats, constants } from "node:fs";
import { join } from "node:path";
import { TextDecoder } from "node:util";
import { ask, type Steps, shut } from "./disk.ts";

/**
 * Opens something and says where that truly lies: whatever path led there, and whatever somebody changed on that path
 * meanwhile. Only the location of what is open counts; whoever opens looks at it before reading.
 */

export interface Opened {
  /** To tell what it is, and to be closed. Nothing is read through it. */
  readonly fd: number;
  /** Absolute, without links. */
  readonly location: string;
  /** Leads to the very same file or folder, and nowhere else, while `fd` is open. */
  readonly path: string;
  readonly stats: BigIntStats;
}

/** Each step throws what the system says. What comes of them is closed by whoever asked for it. */
export interface Opener {
  /** What a path leads to, by links too. */
  follow(path: string): Steps<Opened>;
  /** The same, by a path without a link in it: where there is one, `location` is another, or it throws {@link Unfit}. */
  straight(path: string): Steps<Opened>;
  /** What has that name in an open folder; throws {@link Unfit} where that is no file and no folder. */
  enter(folder: Opened, name: string): Steps<Opened>;
  /** Opens the same file again to read it: for regular files only. */
  reopen(opened: Opened): Steps<number>;
  /** Throws {@link Unfit} if what is open does not lie there any more. */
  checkAgain(opened: Opened): Steps<void>;
}

/** There is something, and it is not to be used. `message` says what it is: "is a symbolic link". */
export class Unfit extends Error {
  override readonly name = "Unfit";
}

const EXCHANGED = "was exchanged for something else meanwhile";

/** Linux: opens a place in the file system without opening the file. A pipe or a device does not notice. */
const O_PATH = 0o10000000;

/** A pipe without a writer, or a device, must not keep us; and no terminal become ours. Windows has neither word. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const LOOKS = 4;
export const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** The kernel says where a descriptor leads, and opens the same thing again by it: there is no moment to swap in. */
export const byDescriptor: Opener = {
  follow: (path) => openPlace(path, O_PATH),
  straight: (path) => openPlace(path, O_PATH | NO_LINK),
  *enter(folder, name) {
    const opened = yield* openPlace(`${folder.path}/${name}`, O_PATH | NO_LINK);
    return yield* orClose(opened.fd, plain(opened));
  },
  reopen: ({ path }) => ask("open", path, READ),
  *checkAgain({ path, location }) {
    if (textOf(yield* ask("readlink", path)) !== location) throw new Unfit(EXCHANGED);
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

// biome-ignore lint/correctness/useYield: steps that ask for nothing
function* plain(opened: Opened): Steps<Opened> {
  checkKind(opened.stats);
  return opened;
}

/**
 * For systems without `/proc/self/fd`: what is open counts as lying where its path leads only if that path has no link
 * in it and leads to the same file, several times over. To fool it, somebody would have to exchange a folder and put it
 * back between any two of these looks.
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
  if (before === undefined) throw Object.assign(new Error("nothing has that name"), { code: "ENOENT" });
  // To open anything else is to be heard by whoever waits at the other end.
  checkKind(before);
  const fd = yield* ask("open", location, READ | NO_LINK);
  return { fd, location, path: location, stats: yield* orClose(fd, compared(fd, location)) };
}

function* compared(fd: number, location: string): Steps<BigIntStats> {
  const opened = yield* ask("fstat", fd);
  for (let look = 0; look < LOOKS; look++) {
    const there = yield* ask("lstat", location);
    const isSame = there !== undefined && opened.dev === there.dev && opened.ino === there.ino;
    if (!isSame || textOf(yield* ask("realpath", location)) !== location) throw new Unfit(EXCHANGED);
  }
  return opened;
}

function checkKind(stats: BigIntStats): void {
  if (stats.isFile() || stats.isDirectory()) return;
  throw new Unfit(stats.isSymbolicLink() ? "is a symbolic link" : "is not a regular file");
}

export function* orClose<Value>(fd: number, steps: Steps<Value>): Steps<Value> {
  try {
    return yield* steps;
  } catch (error) {
    yield* shut(fd);
    throw error;
  }
}

/** The stricter of the two where the system has what it needs. */
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

/** Two names that are no UTF-8 would be one and the same text if they were decoded all the same. */
function textOf(bytes: string | Buffer): string {
  try {
    return typeof bytes === "string" ? bytes : decoder.decode(bytes);
  } catch {
    throw new Unfit("lies where names are no UTF-8");
  }
}

/** Reads on to the end, at most `maxBytes`. */
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
