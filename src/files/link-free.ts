import { join } from "node:path";
import { type Steps, shut } from "./disk.ts";
import { isExactName } from "./exact-name.ts";
import { isOfTheKernel } from "./kernel-places.ts";
import { type Opened, type Opener, orClose, readStart, Unfit } from "./opened-file.ts";

/** Ways into a folder on which no link is followed, and every name is the very name on disk. */
export interface Ways {
  readonly opener: Opener;
  /** See `kernelDevices`. */
  readonly kernel: ReadonlySet<bigint>;
}

/**
 * Opens a file or folder by its path inside of an open one, which stays open; each part is looked at before the next is
 * entered, so that nothing outside is opened either. No parts: `root` itself.
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
  if (next.location !== join(folder.location, name)) throw new Unfit("does not lie where its name says");
  if (isOfTheKernel(next, kernel)) throw new Unfit("is one of the kernel's");
  if (!(yield* isExactName(folder, name, next.stats))) throw new Unfit("has another name on disk");
  return next;
}

/** Opens what a granted path leads to, by links too. `location`: where that was before, and has to be still. */
export function* openRoot({ opener, kernel }: Ways, path: string, location?: string): Steps<Opened> {
  const root = yield* opener.follow(location ?? path);
  if (location !== undefined && root.location !== location) {
    yield* shut(root.fd);
    throw new Unfit("was exchanged for something else meanwhile");
  }
  if (isOfTheKernel(root, kernel)) {
    yield* shut(root.fd);
    throw new Unfit("is one of the kernel's");
  }
  return root;
}

/** All that is in a regular file. Throws {@link TooLarge} before anything is read. */
export function* readWhole({ opener }: Ways, opened: Opened, maxBytes: number): Steps<Buffer> {
  if (!opened.stats.isFile()) throw new Unfit(opened.stats.isDirectory() ? "is a folder" : "is not a regular file");
  const bytes = Number(opened.stats.size);
  if (bytes > maxBytes) throw new TooLarge(bytes);
  const fd = yield* opener.reopen(opened);
  try {
    // As long as it was when it was opened: what grows is not read on and on.
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
