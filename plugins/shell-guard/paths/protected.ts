import { SLASH } from "../chars";
import { HOME, spelling } from "../shell/marks";
import { cut, mark, push, pushText, spend } from "../text";
import { stopped } from "../verdict";
import { currentDirectory, workingDirectory } from "./directory";
import { HOMES, isEverything, isUnknown, mayBe, Path, ROOT, resolve } from "./path";
import { FREE, HOME_PLACES, HOME_TREES, PLACES, TREES } from "./tables";
import { addressOf, findUnit, part, same, startsWith } from "../units";

/** What the rule's author protects. */
export const CONFIGURED: i32 = 1;
/** Directories of the system, and homes. */
export const SYSTEM: i32 = 2;
/** Also what lies deep inside of a directory of the system. */
export const INSIDE: i32 = 4;
/** The working directory and its history. */
export const WORK: i32 = 8;
/** Only at the place or in it: writing to a directory leaves what else is in it alone. */
export const ONTO: i32 = 16;

const WORK_PER_PATH: i32 = 64;

// Most rules configure none: they share this list, to which nothing may be added.
const NO_PATHS: Array<Path> = [];

let configured: Array<Path> = changetype<Array<Path>>(0);

export function protectPaths(texts: Array<string>): void {
  configured = NO_PATHS;
  if (texts.length > 0) configured = [];
  for (let i = 0; i < texts.length; i++) {
    if (texts[i].length > 0) configured.push(resolve(workingDirectory(), withHome(texts[i])));
  }
}

export function hasConfiguredPaths(): bool {
  return configured.length > 0;
}

/** Turns a leading `~` of a path that no shell has read into what a shell makes of it. */
export function withHome(text: string): string {
  const isHome = startsWith(text, "~") && (text.length === 1 || text.charCodeAt(1) === SLASH);
  return isHome ? String.fromCharCode(HOME) + text.slice(1) : text;
}

/** What is lost when this path goes with all that is in it, in words, or null. */
export function protection(target: string, scope: i32): string | null {
  // An empty word names no file.
  if (target.length === 0 || stopped()) return null;
  spend(WORK_PER_PATH);
  const directory = currentDirectory();
  const found = protectionOf(resolve(directory.now, target), scope);
  const before = directory.before;
  return found === null && before !== null ? protectionOf(resolve(before, target), scope) : found;
}

function protectionOf(path: Path, scope: i32): string | null {
  if ((scope & CONFIGURED) !== 0 && isConfigured(path, (scope & ONTO) !== 0)) return "a protected path";
  if ((scope & SYSTEM) !== 0) {
    if (path.base === HOMES && isHomeProtected(path, (scope & INSIDE) !== 0)) return "a protected path";
    if (path.base === ROOT && isSystem(path, (scope & INSIDE) !== 0)) return "a protected path";
  }
  if ((scope & WORK) !== 0) {
    if (takes(path, workingDirectory(), false)) return "the working directory";
    const now = currentDirectory().now;
    if (isHistory(path, now) || (now !== workingDirectory() && isHistory(path, workingDirectory())))
      return "the git history";
  }
  return null;
}

function isConfigured(path: Path, onto: bool): bool {
  for (let i = 0; i < configured.length; i++) {
    const place = configured[i];
    if (takes(path, place, true) && !(onto && isAbove(path, place))) return true;
  }
  return false;
}

function isAbove(path: Path, place: Path): bool {
  return path.base !== place.base || path.ups > place.ups || path.segments.length < place.segments.length;
}

function isSystem(path: Path, inside: bool): bool {
  if (isTopLevel(path) || takesAny(path, PLACES, false)) return true;
  return takesAny(path, TREES, inside) && !(inside && isFree(path));
}

/** What stands directly below `/` is a disk, a system or somebody's whole world. */
function isTopLevel(path: Path): bool {
  return path.segments.length === 1 && !same(path.segments[0], "tmp");
}

function isHomeProtected(path: Path, inside: bool): bool {
  return takesAny(path, HOME_PLACES, false) || takesAny(path, HOME_TREES, inside);
}

/** Of places that are nobody's in particular and have the base of the path. */
function takesAny(path: Path, places: StaticArray<string>, inside: bool): bool {
  if (path.ups > 0) return isAllOf(path.segments);
  for (let i = 0; i < places.length; i++) if (coversPlace(path, unchecked(places[i]), inside)) return true;
  return false;
}

function isFree(path: Path): bool {
  for (let i = 0; i < FREE.length; i++) if (isBelow(path, FREE[i])) return true;
  return false;
}

function isHistory(path: Path, project: Path): bool {
  const git = resolve(project, ".git");
  // The others are inside of it.
  if (!takes(path, git, true)) {
    spend(git.segments.length * 2);
    return false;
  }
  return (
    takes(path, git, false) || takes(path, resolve(git, "objects"), true) || takes(path, resolve(git, "refs"), true)
  );
}

/**
 * Does removing `path` take `place` along? It does above it, at it and, written as a wildcard, in all of it; deeper
 * down only if all in the place is protected too.
 */
function takes(path: Path, place: Path, inside: bool): bool {
  if (path.base !== place.base) return path.base === ROOT && isAllOf(path.segments);
  if (path.base === HOMES && !isSameUser(path.user, place.user)) return false;
  if (path.ups !== place.ups) return path.ups > place.ups && isAllOf(path.segments);
  return covers(path, place.segments, inside);
}

/** The same of segments. */
function covers(path: Path, want: Array<string>, inside: bool): bool {
  const have = path.segments;
  const shared = min(have.length, want.length);
  for (let i = 0; i < shared; i++) {
    const name = unchecked(want[i]);
    if (!couldBe(path, i, addressOf(name), name.length)) return false;
  }
  return endsWith(have, want.length, inside);
}

/** The same of a place from the tables. */
function coversPlace(path: Path, place: string, inside: bool): bool {
  const have = path.segments;
  let count = 0;
  for (let at = 0; at < place.length; count++) {
    if (count === have.length) return true;
    const end = endOfSegment(place, at);
    if (!couldBe(path, count, addressOf(place) + ((<usize>at) << 1), end - at)) return false;
    at = end + 1;
  }
  return endsWith(have, count, inside);
}

/** With as many segments in common as the place has: is all of the place meant? */
function endsWith(have: Array<string>, count: i32, inside: bool): bool {
  return have.length <= count || inside || (have.length === count + 1 && isEverything(have[count]));
}

function endOfSegment(place: string, at: i32): i32 {
  const slash = findUnit(place, SLASH, at);
  return slash < 0 ? place.length : slash;
}

function couldBe(path: Path, at: i32, name: usize, size: i32): bool {
  const segment = unchecked(path.segments[at]);
  // `/$x` is all of `/` as soon as x is empty; elsewhere a variable is taken to be what its author meant.
  if (isUnknown(segment)) return path.base === ROOT && at === 0 && path.segments.length === 1;
  return mayBe(segment, name, size);
}

/** All that is in a place: nothing more is said, or a wildcard that leaves out nothing. */
function isAllOf(segments: Array<string>): bool {
  return segments.length === 0 || (segments.length === 1 && isEverything(segments[0]));
}

function isSameUser(one: string, other: string): bool {
  return one.length === 0 || other.length === 0 || mayBe(one, addressOf(other), other.length) || isUnknown(one);
}

/** Is it inside for certain? Wildcards may lead out again. */
function isBelow(path: Path, place: string): bool {
  const have = path.segments;
  let count = 0;
  for (let at = 0; at < place.length; count++) {
    const end = endOfSegment(place, at);
    if (count === have.length || !same(have[count], part(place, at, end))) return false;
    at = end + 1;
  }
  return have.length > count;
}

/** The target as people would write it, cut to a readable length. */
export function show(text: string): string {
  const start = mark();
  for (let i = 0; i < text.length && i < 60; i++) push(spelling(text.charCodeAt(i)));
  if (text.length > 60) pushText("...");
  return cut(start);
}
