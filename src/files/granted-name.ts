import { join, sep } from "node:path";
import type { PathGrant } from "../rule.ts";
import { isWithin } from "./kernel-places.ts";
import { type PlainPath, plainPath } from "./plain-path.ts";

/** What a granted name, or a path behind it, stands for. */
export interface GrantedPlace {
  readonly grant: PathGrant;
  /** From the granted folder on; none: what is granted itself. */
  readonly parts: readonly string[];
  /** On this machine. */
  readonly path: string;
}

export type GrantedName =
  | { readonly ok: true; readonly place: GrantedPlace }
  /** `message`: "is not granted". */
  | Extract<PlainPath, { ok: false }>;

/** By the name that a guard uses. Of two granted names that fit, the longer one counts. */
export function placeOfName(name: string, grants: readonly PathGrant[]): GrantedName {
  const found = grants.find((grant) => grant.name === name) ?? longest(grants, (grant) => startsIn(name, grant.name));
  if (found === undefined) return { ok: false, message: NOT_GRANTED };
  if (found.name === name) return { ok: true, place: { grant: found, parts: [], path: join(found.path) } };
  return placeIn(found, name.slice(found.name.length + 1));
}

/** By the path on this machine. Of two grants that fit, one to write counts before one to read. */
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
