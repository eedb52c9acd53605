import { resolve } from "node:path";
import { plainPath } from "../../../files/plain-path.ts";
import type { PathGrant } from "../../../grants.ts";
import { isJsonObject } from "../../../json.ts";
import { hintOf } from "../../config-problems.ts";
import { expandHome } from "./expand-home.ts";
import type { GrantProblems, Refused } from "./grant-problems.ts";
import type { FileOrigin } from "./place.ts";
import { refusalOfPlace } from "./place.ts";

/** Reads `paths`: files and folders, each with the name that the guard uses. */

export const MAX_PATHS = 64;
const MAX_NAME_LENGTH = 255;
const KEYS = ["path", "access"];

type At = readonly (string | number)[];

export function readPaths(value: unknown, file: FileOrigin, problems: GrantProblems): readonly PathGrant[] | undefined {
  const isList = Array.isArray(value);
  if (!isList && !isJsonObject(value)) {
    problems.mistype(["paths"], 'an object such as { "policy.json": "./policy.json" }, or a list of paths', value);
    return undefined;
  }
  const items: readonly (readonly [string | number, unknown])[] = isList ? [...value.entries()] : Object.entries(value);
  if (items.length === 0 || items.length > MAX_PATHS) {
    problems.mistype(
      ["paths"],
      `1 to ${MAX_PATHS} paths`,
      items.length,
      'without "paths", the guard has no files at all',
    );
    return undefined;
  }
  const grants = items.flatMap(([key, item]): GrantAt[] => {
    const at = ["paths", key];
    const read = typeof key === "number" ? listed(item, at, problems) : named(key, item, at, problems);
    const grant = read === undefined ? undefined : placed(read, at, file, problems);
    return grant === undefined ? [] : [{ at, grant }];
  });
  reportOverlaps(grants, problems);
  return grants.map(({ grant }) => grant);
}

interface GrantAt {
  readonly at: At;
  readonly grant: PathGrant;
}

interface Written {
  readonly name: string;
  readonly path: string;
  readonly access: PathGrant["access"];
}

/** Reads one path of a list. The path is also the name, so it must be below the file's folder. */
function listed(item: unknown, at: At, problems: GrantProblems): Written | undefined {
  if (typeof item !== "string") {
    problems.mistype(at, "a path", item, 'with a name for it: "paths": { "policy.json": "./policy.json" }');
    return undefined;
  }
  const name = item.replace(/^(?:\.\/+)+/, "").replace(/\/+$/, "");
  const refusal = /^~(?:\/|$)/.test(item) ? { message: "a name cannot begin with ~" } : refusalOfName(name);
  if (refusal !== undefined) {
    const hint = 'give the guard a name for it: "paths": { "policy.json": "../policy.json" }';
    problems.refuse(at, { message: `"${item}" cannot be its own name: ${refusal.message}`, hint });
    return undefined;
  }
  return { name, path: item, access: "read" };
}

function named(name: string, item: unknown, at: At, problems: GrantProblems): Written | undefined {
  const refusal = refusalOfName(name);
  if (refusal !== undefined)
    problems.add("HOOK_CONFIG_GRANT", at, refusal.message, { ...hintOf(refusal.hint), part: "key" });
  if (typeof item === "string") return { name, path: item, access: "read" };
  const said = problems.object(item, at, KEYS, 'a path, or { "path": …, "access": "write" }');
  if (said === undefined) return undefined;
  const { path, access = "read" } = said;
  if (access !== "read" && access !== "write") problems.mistype([...at, "access"], '"read" or "write"', access);
  if (typeof path !== "string") {
    problems.mistype([...at, "path"], "a path", path);
    return undefined;
  }
  return { name, path, access: access === "write" ? "write" : "read" };
}

/**
 * Returns why a guard cannot use this name for a file. Names are compared byte for byte, with `/` between their parts.
 */
function refusalOfName(name: string): Refused | undefined {
  if (name === "") return { message: "the guard needs a name for it" };
  if (name.length > MAX_NAME_LENGTH) return { message: `a name has at most ${MAX_NAME_LENGTH} characters` };
  if (/[\p{Cc}\p{Cf}\p{Cs}]/u.test(name)) return { message: "a name cannot contain invisible characters" };
  if (name.normalize("NFC") !== name) return { message: "a name must be in Unicode's composed form (NFC)" };
  // Paths below a name are checked by the same rules.
  const plain = /^[A-Za-z]:/.test(name) ? { ok: false as const, message: "is absolute" } : plainPath(name);
  if (plain.ok) return undefined;
  return {
    message: `the name ${plain.message}`,
    hint: "the guard uses this name for the file, such as policies/base.json",
  };
}

function placed(
  { name, path: written, access }: Written,
  at: At,
  file: FileOrigin,
  problems: GrantProblems,
): PathGrant | undefined {
  const where = expandHome(written);
  if (typeof where !== "string") {
    problems.refuse(at, where);
    return undefined;
  }
  const path = resolve(file.baseDir, where);
  const judged = refusalOfPlace(path, access, file);
  if ("refused" in judged) {
    const { code, message, hint } = judged.refused;
    problems.add(code, at, message, hintOf(hint));
    return undefined;
  }
  return { name, path, written, access, ...judged };
}

/** Reports names that are not unique, or not unique on a disk that ignores case. */
function reportOverlaps(grants: readonly GrantAt[], problems: GrantProblems): void {
  const folded = grants.map(({ grant }) => grant.name.toLowerCase());
  for (const [index, name] of folded.entries()) {
    // If two names are the same, the problem is reported for the later name.
    const other = folded.findIndex((one, at) => (at < index && one === name) || name.startsWith(`${one}/`));
    const [mine, theirs] = [grants[index], grants[other]];
    if (mine === undefined || theirs === undefined) continue;
    const message = `"${theirs.grant.name}" ${name === folded[other] ? "is the same name" : "covers this name"}`;
    const hint = "give it another name; the locations of the two do not matter";
    problems.add("HOOK_CONFIG_GRANT", mine.at, message, { hint, part: "key" });
  }
}
