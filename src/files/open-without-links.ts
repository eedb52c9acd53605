import { join } from "node:path";
import { ask, type Steps, shut } from "./disk.ts";
import { isExactName } from "./exact-name.ts";
import { isOfTheKernel, isWithin } from "./kernel-folders.ts";
import { type Opened, type Opener, orClose, readStart, UnsafePath } from "./opened-file.ts";

/** Opens files below a folder without following links. Every name must be the exact name on disk. */
export interface Ways {
  readonly opener: Opener;
  /** The result of `kernelDevices`. */
  readonly kernel: ReadonlySet<bigint>;
}

/**
 * Opens a file or folder by its path below `root`, which stays open. Checks each part before entering the next part, so
 * nothing outside of `root` is ever opened. Without parts, opens `root` itself.
 */
export function* openWithin(ways: Ways, root: Opened, parts: readonly string[]): Steps<Opened> {
  let at = root;
  try {
    for (const name of parts) {
      const next = yield* entered(ways, at, name);
      if (at !== root) yield* shut(at.fd);
      at = next;
    }
    return at;
  } catch (error) {
    if (at !== root) yield* shut(at.fd);
    throw error;
  }
}

function* entered({ opener, kernel }: Ways, folder: Opened, name: string): Steps<Opened> {
  if (!folder.stats.isDirectory()) throw Object.assign(new Error("not a folder"), { code: "ENOTDIR" });
  const next = yield* opener.enter(folder, name);
  return yield* orClose(next.fd, checked(kernel, folder, name, next));
}

function* checked(kernel: ReadonlySet<bigint>, folder: Opened, name: string, next: Opened): Steps<Opened> {
  if (next.location !== join(folder.location, name)) throw new UnsafePath("is not in the place that its name says");
  if (isOfTheKernel(next, kernel)) throw new UnsafePath("is one of the kernel's");
  if (!(yield* isExactName(folder.path, name, next.stats))) throw new UnsafePath("has another name on disk");
  return next;
}

interface RootChecks {
  /** The location that the path must still lead to. */
  readonly location?: string | undefined;
  /** The folder, without links, that the path must lead into. */
  readonly within?: string | undefined;
}

/** Opens the place that a granted path leads to. Follows links in the path. */
export function* openRoot(
  { opener, kernel }: Ways,
  path: string,
  { location, within }: RootChecks = {},
): Steps<Opened> {
  const root = yield* opener.follow(location ?? path);
  if (location !== undefined && root.location !== location) {
    yield* shut(root.fd);
    throw new UnsafePath("was replaced while it was being opened");
  }
  if (within !== undefined && !isWithin(root.location, within)) {
    yield* shut(root.fd);
    throw new UnsafePath("leads out of the folder of the file that grants it");
  }
  if (isOfTheKernel(root, kernel)) {
    yield* shut(root.fd);
    throw new UnsafePath("is one of the kernel's");
  }
  return root;
}

/** The opened place, and the location of the granted path. */
interface Found {
  readonly opened: Opened;
  readonly root: string;
}

/**
 * Opens `parts` below the place that a granted path leads to. First tries the whole path in one call, which works if it
 * has no links. Otherwise opens it part by part.
 */
export function* openGranted(
  ways: Ways,
  path: string,
  parts: readonly string[],
  checks: RootChecks = {},
): Steps<Found> {
  const { location = path, within } = checks;
  const mayBeStraight = parts.length > 0 && (within === undefined || isWithin(join(location), within));
  const straight = mayBeStraight ? yield* openStraight(ways, join(location), parts) : undefined;
  if (straight !== undefined) return straight;
  const root = yield* openRoot(ways, path, checks);
  if (parts.length === 0) return { opened: root, root: root.location };
  try {
    return { opened: yield* openWithin(ways, root, parts), root: root.location };
  } finally {
    yield* shut(root.fd);
  }
}

function* openStraight(ways: Ways, root: string, parts: readonly string[]): Steps<Found | undefined> {
  const place = join(root, ...parts);
  let opened: Opened;
  try {
    opened = yield* ways.opener.straight(place);
  } catch {
    return undefined;
  }
  if (yield* orClose(opened.fd, isStraight(ways, root, parts, place, opened))) return { opened, root };
  yield* shut(opened.fd);
  return undefined;
}

/** Whether the location equals the path, so that no part of the path was a link. Does not check the exact names. */
function* isStraight(
  { kernel }: Ways,
  root: string,
  parts: readonly string[],
  place: string,
  opened: Opened,
): Steps<boolean> {
  if (opened.location !== place || opened.stats.isSymbolicLink() || isOfTheKernel(opened, kernel)) return false;
  let folder = root;
  for (const [at, name] of parts.entries()) {
    const here = join(folder, name);
    const stats = at === parts.length - 1 ? opened.stats : yield* ask("lstat", here);
    if (stats === undefined || !(yield* isExactName(folder, name, stats))) return false;
    folder = here;
  }
  return true;
}

/** Reads a whole regular file. Throws {@link TooLarge} before reading anything. */
export function* readWhole({ opener }: Ways, opened: Opened, maxBytes: number): Steps<Buffer> {
  if (!opened.stats.isFile())
    throw new UnsafePath(opened.stats.isDirectory() ? "is a folder" : "is not a regular file");
  const bytes = Number(opened.stats.size);
  if (bytes > maxBytes) throw new TooLarge(bytes);
  const fd = yield* opener.reopen(opened);
  try {
    // Reads the length that the file had when it was opened, because a growing file would never end.
    return yield* readStart(fd, bytes);
  } finally {
    yield* shut(fd);
  }
}

export class TooLarge extends Error {
  override readonly name = "TooLarge";
  readonly bytes: number;

  constructor(bytes: number) {
    super(`is ${bytes} bytes long`);
    this.bytes = bytes;
  }
}
