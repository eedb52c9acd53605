import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { PathGrant } from "../rule.ts";
import { ask, isAbsence, type Steps, shut } from "./disk.ts";
import { isExactName } from "./exact-name.ts";
import type { GrantedPlace } from "./granted-name.ts";
import { judgeAgain, type PlaceFound } from "./judged-place.ts";
import { openRoot, openWithin, type Ways } from "./link-free.ts";
import { NO_LINK, type Opened, orClose, Unfit } from "./opened-file.ts";

/** A file that is written beside the one whose place it is to take. */
export interface StagedFile {
  readonly folder: Opened;
  readonly name: string;
  readonly draft: string;
}

/** What no other program has open, and nobody but the user may read until the file is in its place. */
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_LINK;
const NEW_MODE = 0o600;
const PERMISSIONS = 0o777;
const ANYBODY_WRITES = 0o222;

/**
 * Writes the draft of a file at a place that is granted. Throws {@link Unfit} for places where no file may be made, and
 * what the system says. Whoever gets it puts it in its place or discards it.
 */
export function* stage(ways: Ways, place: GrantedPlace, bytes: Uint8Array): Steps<StagedFile> {
  const found = yield* target(ways, place);
  return yield* orClose(found.folder.fd, judgedDraft(place.grant, found, bytes));
}

function* judgedDraft(grant: PathGrant, found: PlaceFound, bytes: Uint8Array): Steps<StagedFile> {
  yield* judgeAgain(grant, found);
  return yield* drafted(found.folder, found.name, bytes);
}

/** The draft takes the place of what was there. */
export function* putInPlace({ opener }: Ways, { folder, name, draft }: StagedFile): Steps<void> {
  yield* opener.checkAgain(folder);
  yield* ask("rename", `${folder.path}/${draft}`, `${folder.path}/${name}`);
}

/** Whatever became of the draft: it is gone, and its folder is closed. */
export function* letGo({ folder, draft }: StagedFile): Steps<void> {
  yield* discard(`${folder.path}/${draft}`);
  yield* shut(folder.fd);
}

function* discard(path: string): Steps<void> {
  try {
    yield* ask("unlink", path);
  } catch {
    // It is in its place, or its folder is no more.
  }
}

function* target(ways: Ways, { grant, parts }: GrantedPlace): Steps<PlaceFound> {
  const name = parts.at(-1);
  if (name === undefined) return yield* grantedFile(ways, grant);
  const root = yield* openRoot(ways, grant.path, { within: grant.within });
  if (parts.length === 1) return { folder: yield* asFolder(root), name, root: root.location };
  try {
    const folder = yield* asFolder(yield* openWithin(ways, root, parts.slice(0, -1)));
    return { folder, name, root: root.location };
  } finally {
    yield* shut(root.fd);
  }
}

/** Where the author's own path leads, by links too; or the folder where there is no such file yet. */
function* grantedFile(ways: Ways, { path, within }: PathGrant): Steps<PlaceFound> {
  const location = yield* locationOf(ways, path, within);
  if (location === undefined) {
    const folder = yield* asFolder(yield* openRoot(ways, dirname(path), { within }));
    return { folder, name: basename(path), root: join(folder.location, basename(path)) };
  }
  const folder = yield* asFolder(yield* openRoot(ways, dirname(location), { location: dirname(location), within }));
  return { folder, name: basename(location), root: location };
}

function* locationOf(ways: Ways, path: string, within: string | undefined): Steps<string | undefined> {
  try {
    const { fd, location } = yield* openRoot(ways, path, { within });
    yield* shut(fd);
    return location;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function* asFolder(opened: Opened): Steps<Opened> {
  if (opened.stats.isDirectory()) return opened;
  yield* shut(opened.fd);
  throw new Unfit("is in no folder");
}

function* drafted(folder: Opened, name: string, bytes: Uint8Array): Steps<StagedFile> {
  const mode = yield* modeFor(folder, name);
  const draft = `.hookbox-${randomBytes(12).toString("hex")}.tmp`;
  const path = join(folder.path, draft);
  const fd = yield* ask("open", path, CREATE, NEW_MODE);
  try {
    try {
      for (let at = 0; at < bytes.byteLength; ) at += yield* ask("write", fd, bytes, at);
      // What the process's mask has taken away, too.
      yield* ask("fchmod", fd, mode);
    } finally {
      // Some disks say only now that there was no room.
      yield* ask("close", fd);
    }
  } catch (error) {
    yield* discard(path);
    throw error;
  }
  return { folder, name, draft };
}

/** Of the file that is there, which must be one, and not be closed to everybody. */
function* modeFor(folder: Opened, name: string): Steps<number> {
  const there = yield* ask("lstat", `${folder.path}/${name}`);
  if (there === undefined) return NEW_MODE;
  if (there.isSymbolicLink()) throw new Unfit("is a symbolic link");
  if (!there.isFile()) throw new Unfit(there.isDirectory() ? "is a folder" : "is not a regular file");
  if (!(yield* isExactName(folder.path, name, there))) throw new Unfit("has another name on disk");
  const mode = Number(there.mode) & PERMISSIONS;
  if ((mode & ANYBODY_WRITES) === 0) throw new Unfit("is read-only");
  return mode;
}
