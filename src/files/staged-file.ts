import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { PathGrant } from "../grants.ts";
import { ask, isAbsence, type Steps, shut } from "./disk.ts";
import { isExactName } from "./exact-name.ts";
import type { GrantedPlace } from "./granted-name.ts";
import { openRoot, openWithin, type Ways } from "./open-without-links.ts";
import { NO_LINK, type Opened, orClose, UnsafePath } from "./opened-file.ts";
import { judgeAgain, type PlaceFound } from "./recheck-place.ts";

/** A draft in the folder of the file that it will replace. */
export interface StagedFile {
  readonly folder: Opened;
  readonly name: string;
  readonly draft: string;
}

/** Flags that create a file that only the user may read and that no other process has open. */
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_LINK;
const NEW_MODE = 0o600;
const PERMISSIONS = 0o777;
const ANYBODY_WRITES = 0o222;

/**
 * Writes the draft of a file in a granted place. Throws {@link UnsafePath} if no file may be created there, or the system's
 * error. The caller must call {@link putInPlace} or {@link letGo}.
 */
export function* stage(ways: Ways, place: GrantedPlace, bytes: Uint8Array): Steps<StagedFile> {
  const found = yield* target(ways, place);
  return yield* orClose(found.folder.fd, judgedDraft(place.grant, found, bytes));
}

function* judgedDraft(grant: PathGrant, found: PlaceFound, bytes: Uint8Array): Steps<StagedFile> {
  yield* judgeAgain(grant, found);
  return yield* drafted(found.folder, found.name, bytes);
}

/** Replaces the file with the draft. */
export function* putInPlace({ opener }: Ways, { folder, name, draft }: StagedFile): Steps<void> {
  yield* opener.checkAgain(folder);
  yield* ask("rename", `${folder.path}/${draft}`, `${folder.path}/${name}`);
}

/** Removes the draft if it still exists, and closes its folder. */
export function* letGo({ folder, draft }: StagedFile): Steps<void> {
  yield* discard(`${folder.path}/${draft}`);
  yield* shut(folder.fd);
}

function* discard(path: string): Steps<void> {
  try {
    yield* ask("unlink", path);
  } catch {
    // The draft has replaced the file, or its folder was removed.
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

/** Opens the place of a granted file and follows links. If the file does not exist yet, opens its folder. */
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
  throw new UnsafePath("is in no folder");
}

function* drafted(folder: Opened, name: string, bytes: Uint8Array): Steps<StagedFile> {
  const mode = yield* modeFor(folder, name);
  const draft = `.hookbox-${randomBytes(12).toString("hex")}.tmp`;
  const path = join(folder.path, draft);
  const fd = yield* ask("open", path, CREATE, NEW_MODE);
  try {
    try {
      for (let at = 0; at < bytes.byteLength; ) at += yield* ask("write", fd, bytes, at);
      // Sets the bits that the process's umask removed.
      yield* ask("fchmod", fd, mode);
    } finally {
      // Some disks report only at close that they are full.
      yield* ask("close", fd);
    }
  } catch (error) {
    yield* discard(path);
    throw error;
  }
  return { folder, name, draft };
}

/** Returns the mode of the existing file. Throws if the entry is not a regular file or if no user may write it. */
function* modeFor(folder: Opened, name: string): Steps<number> {
  const there = yield* ask("lstat", `${folder.path}/${name}`);
  if (there === undefined) return NEW_MODE;
  if (there.isSymbolicLink()) throw new UnsafePath("is a symbolic link");
  if (!there.isFile()) throw new UnsafePath(there.isDirectory() ? "is a folder" : "is not a regular file");
  if (!(yield* isExactName(folder.path, name, there))) throw new UnsafePath("has another name on disk");
  const mode = Number(there.mode) & PERMISSIONS;
  if ((mode & ANYBODY_WRITES) === 0) throw new UnsafePath("is read-only");
  return mode;
}
