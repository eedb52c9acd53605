// Where a word of a command points, as far as its text tells. Links are not followed: a guard sees no files.

import { CLOSE_BRACKET, DOT, SLASH } from "../chars";
import { FETCHED, HERE, HOME, isGlob, UNKNOWN } from "../shell/marks";
import { spend } from "../text";
import { addressOf, findUnit, hasUnits, part, same, unitAt } from "../units";

/** From `/`. */
export const ROOT: i32 = 0;
/** From a home directory. */
export const HOMES: i32 = 1;
/** From the working directory, which is unknown. */
export const WORKING: i32 = 2;
/** From a place that cannot be known. */
const NOWHERE: i32 = 3;

export class Path {
  /** Whose home it is; empty for the user's own. */
  user: string = "";
  /** How far above the working directory it starts. */
  ups: i32 = 0;
  segments: Array<string> = [];

  constructor(public base: i32) {}

  copy(): Path {
    const path = new Path(this.base);
    path.user = this.user;
    path.ups = this.ups;
    path.segments = this.segments.slice(0);
    return path;
  }

  up(): void {
    if (this.segments.length > 0) this.segments.pop();
    else if (this.base === WORKING) this.ups++;
    else if (this.base === HOMES) {
      if (!same(this.user, "root")) this.segments.push("home");
      this.base = ROOT;
    }
  }
}

/** Reads a path as seen from a directory. */
export function resolve(from: Path, text: string): Path {
  const first = text.charCodeAt(0);
  const path =
    first === SLASH ? new Path(ROOT) : first === UNKNOWN || first === FETCHED ? new Path(NOWHERE) : from.copy();
  spend(path.segments.length);
  let start = 0;
  while (start < text.length) {
    const slash = findUnit(text, SLASH, start);
    const end = slash < 0 ? text.length : slash;
    step(path, text, start, end);
    start = end + 1;
  }
  if (path.base === ROOT) recognise(path);
  return path;
}

function step(path: Path, text: string, start: i32, end: i32): void {
  const size = end - start;
  const first = text.charCodeAt(start);
  if (size === 0 || (size === 1 && (first === DOT || first === HERE))) return;
  if (size === 2 && first === DOT && text.charCodeAt(start + 1) === DOT) return path.up();
  // A home directory is a path of its own: nothing before it matters but slashes.
  if (first === HOME && path.segments.length === 0) {
    path.base = HOMES;
    path.user = "";
    start++;
  }
  if (start < end) path.segments.push(part(text, start, end));
}

/** Gives the same place the same shape, however it was spelled. */
function recognise(path: Path): void {
  const segments = path.segments;
  if (segments.length === 0) return;
  const first = segments[0];
  if (same(first, "root")) {
    path.user = segments.shift();
    path.base = HOMES;
  } else if ((same(first, "home") || same(first, "Users")) && segments.length > 1) {
    segments.shift();
    path.user = segments.shift();
    path.base = HOMES;
  } else if (same(first, "private") && segments.length > 1) {
    // On macOS these are links into /private.
    const second = segments[1];
    if (same(second, "etc") || same(second, "var") || same(second, "tmp")) segments.shift();
  }
}

/** Could a text with wildcards or unknown parts be this name? The name is given by its place, for it may be a part. */
export function mayBe(pattern: string, name: usize, nameSize: i32): bool {
  const size = pattern.length;
  if (size === 0) return nameSize === 0;
  // Most differ in their first unit already.
  const first = unitAt(pattern, 0);
  return (isOpen(first) || first === unitFrom(name, 0)) && fits(pattern, name, nameSize);
}

function fits(pattern: string, name: usize, nameSize: i32): bool {
  const size = pattern.length;
  let head = 0;
  while (head < size && !isOpen(unitAt(pattern, head))) head++;
  if (head === size) return size === nameSize && hasUnits(addressOf(pattern), name, size);
  // A wildcard at the start never stands for the dot of a hidden name.
  if (head === 0 && isGlob(unitAt(pattern, 0)) && unitFrom(name, 0) === DOT) return false;
  let tail = size;
  while (tail > head && !isOpen(unitAt(pattern, tail - 1))) tail--;
  if (head + (size - tail) > nameSize) return false;
  for (let i = 0; i < head; i++) if (unitAt(pattern, i) !== unitFrom(name, i)) return false;
  // What closes a `[…]` is part of the pattern and not of the name.
  if (findUnit(pattern, CLOSE_BRACKET, head) >= 0) return true;
  for (let i = 1; i <= size - tail; i++) {
    if (unitAt(pattern, size - i) !== unitFrom(name, nameSize - i)) return false;
  }
  return true;
}

function unitFrom(name: usize, at: i32): i32 {
  return <i32>load<u16>(name + ((<usize>at) << 1));
}

function isOpen(unit: i32): bool {
  return isGlob(unit) || unit === UNKNOWN;
}

/** `*`, `.*`, `?*`: all there is. */
export function isEverything(segment: string): bool {
  let stars = false;
  for (let i = 0; i < segment.length; i++) {
    const unit = segment.charCodeAt(i);
    if (isGlob(unit)) stars = true;
    else if (unit !== DOT) return false;
  }
  return stars;
}

export function isUnknown(segment: string): bool {
  return segment.length === 1 && segment.charCodeAt(0) === UNKNOWN;
}
