// Resolves words of a command to paths, by their text only. Links are not followed, because a guard sees no files.

import { ANY, FETCHED, HERE, HOME, isGlob, SET, STAR, UNKNOWN } from "../../../src/shell/marks.ts";

/** The start of a path: `/`, a home, the unknown working directory, or an unknown place. */
type Base = "root" | "home" | "working" | "nowhere";

export interface Path {
  readonly base: Base;
  /** The owner of the home. Empty for the current user. */
  readonly user: string;
  /** How many levels above the working directory the path starts. */
  readonly ups: number;
  readonly segments: readonly string[];
}

export const ROOT: Path = { base: "root", user: "", ups: 0, segments: [] };
export const WORKING: Path = { base: "working", user: "", ups: 0, segments: [] };
export const NOWHERE: Path = { base: "nowhere", user: "", ups: 0, segments: [] };

/** Resolves a path relative to a directory. */
export function resolve(from: Path, text: string): Path {
  const first = text[0];
  // A path in a home does not depend on the directory of the command.
  const start = first === "/" || first === HOME ? ROOT : from;
  let base: Base = first === UNKNOWN || first === FETCHED ? "nowhere" : start.base;
  let { user, ups } = base === "nowhere" ? ROOT : start;
  const segments = base === "nowhere" ? [] : start.segments.slice();
  for (const part of text.split("/")) {
    if (part === "" || part === "." || part === HERE) continue;
    if (part === "..") {
      if (segments.length > 0) segments.pop();
      else if (base === "working") ups += 1;
      else if (base === "home") {
        if (user !== "root") segments.push("home");
        base = "root";
      }
    } else if (part[0] === HOME && segments.length === 0) {
      // Only slashes can precede a home.
      base = "home";
      user = "";
      if (part.length > 1) segments.push(part.slice(1));
    } else segments.push(part);
  }
  return base === "root" ? recognised(segments) : { base, user, ups, segments };
}

/** Gives all spellings of the same place one form. */
function recognised(segments: string[]): Path {
  const [first, second = ""] = segments;
  if (first === "root") return { base: "home", user: "root", ups: 0, segments: segments.slice(1) };
  if ((first === "home" || first === "Users") && segments.length > 1) {
    return { base: "home", user: second, ups: 0, segments: segments.slice(2) };
  }
  // On macOS these directories are links into /private.
  if (first === "private" && (second === "etc" || second === "var" || second === "tmp")) segments.shift();
  return { base: "root", user: "", ups: 0, segments };
}

const OPEN = new RegExp(`[${STAR}${ANY}${SET}${UNKNOWN}]`);
const OPEN_UP_TO_LAST = new RegExp(`^[^]*[${STAR}${ANY}${SET}${UNKNOWN}]`);

/** Whether a text with wildcards or unknown parts may be this name. */
export function mayBe(pattern: string, name: string): boolean {
  if (pattern === name) return true;
  const head = pattern.search(OPEN);
  if (head < 0) return false;
  // A wildcard at the beginning does not match the dot of a hidden name.
  if (head === 0 && isGlob(pattern[0]) && name.startsWith(".")) return false;
  const tail = pattern.replace(OPEN_UP_TO_LAST, "");
  if (head + tail.length > name.length || !name.startsWith(pattern.slice(0, head))) return false;
  // A `]` that closes a `[…]` is part of the pattern and not of the name.
  return pattern.includes("]", head) || name.endsWith(tail);
}

const EVERYTHING = new RegExp(`^\\.*[${STAR}${ANY}${SET}][.${STAR}${ANY}${SET}]*$`);

/** Whether a segment matches everything: `*`, `.*`, `?*`. */
export function isEverything(segment: string): boolean {
  return EVERYTHING.test(segment);
}
