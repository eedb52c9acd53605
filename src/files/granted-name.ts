import { join, sep } from "node:path";
import type { PathGrant } from "../grants.ts";
import { isWithin } from "./kernel-folders.ts";
import { type PlainPath, plainPath } from "./plain-path.ts";

/** The place of a granted name, or of a path below a granted name. */
export interface GrantedPlace {
  readonly grant: PathGrant;
  /** The path below the granted folder. Empty for the granted file or folder itself. */
  readonly parts: readonly string[];
  /** The absolute path on this machine. */
  readonly path: string;
}

type GrantedName =
  | { readonly ok: true; readonly place: GrantedPlace }
  /** The refusal. `message` completes a sentence: "is not granted". */
  | Extract<PlainPath, { ok: false }>;

/** Finds the place for the name that a guard uses. If two granted names match, the longer name counts. */
export function placeOfName(name: string, grants: readonly PathGrant[]): GrantedName {
  const found = grants.find((grant) => grant.name === name) ?? longest(grants, (grant) => startsIn(name, grant.name));
  if (found === undefined) return { ok: false, message: NOT_GRANTED };
  if (found.name === name) return { ok: true, place: { grant: found, parts: [], path: join(found.path) } };
  return placeIn(found, name.slice(found.name.length + 1));
}

/** Finds the place for a path on this machine. If two grants match, a grant to write counts before a grant to read. */
export function placeToWrite(path: string, grants: readonly PathGrant[]): GrantedName {
  const writable = grants.filter(({ access }) => access === "write");
  const found = longest(writable, (grant) => isWithin(path, join(grant.path)));
  if (found === undefined) return { ok: false, message: NOT_GRANTED };
  const root = join(found.path);
  if (path === root) return { ok: true, place: { grant: found, parts: [], path } };
  const below = path.slice(root.endsWith(sep) ? root.length : root.length + 1);
  return placeIn(found, sep === "/" ? below : below.replaceAll(sep, "/"));
}

const NOT_GRANTED = "is not granted";

function placeIn(grant: PathGrant, below: string): GrantedName {
  const plain = plainPath(below);
  if (!plain.ok) return plain;
  return { ok: true, place: { grant, parts: plain.parts, path: join(grant.path, ...plain.parts) } };
}

function startsIn(name: string, folder: string): boolean {
  return name.startsWith(folder) && name[folder.length] === "/";
}

function longest(grants: readonly PathGrant[], fits: (grant: PathGrant) => boolean): PathGrant | undefined {
  let found: PathGrant | undefined;
  for (const grant of grants) {
    if (fits(grant) && (found === undefined || grant.name.length > found.name.length)) found = grant;
  }
  return found;
}
