import { SLASH } from "../chars";
import { HOME, spelling } from "../shell/marks";
import { cut, mark, push, pushText, spend } from "../text";
import { stopped } from "../verdict";
import { currentDirectory, workingDirectory } from "./directory";
import { HOMES, isEverything, isUnknown, mayBe, Path, ROOT, resolve } from "./path";
import { FREE, HOME_PLACES, HOME_TREES, PLACES, TREES } from "./tables";

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

let configured: Array<Path> = changetype<Array<Path>>(0);
// Made when the first command needs them: most commands remove nothing.
let places: Array<Path> = changetype<Array<Path>>(0);
let trees: Array<Path> = changetype<Array<Path>>(0);
let free: Array<Path> = changetype<Array<Path>>(0);
let homePlaces: Array<Path> = changetype<Array<Path>>(0);
let homeTrees: Array<Path> = changetype<Array<Path>>(0);

export function protectPaths(texts: Array<string>): void {
  configured = [];
  places = [];
  for (let i = 0; i < texts.length; i++) {
    if (texts[i].length > 0) configured.push(resolve(workingDirectory(), withHome(texts[i])));
  }
}

export function hasConfiguredPaths(): bool {
  return configured.length > 0;
}

/** Turns a leading `~` of a path that no shell has read into what a shell makes of it. */
export function withHome(text: string): string {
  const isHome = text.startsWith("~") && (text.length === 1 || text.charCodeAt(1) === SLASH);
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
    makeTables();
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
  if (isTopLevel(path) || takesAny(path, places, false)) return true;
  return takesAny(path, trees, inside) && !(inside && isFree(path));
}

/** What stands directly below `/` is a disk, a system or somebody's whole world. */
function isTopLevel(path: Path): bool {
  return path.segments.length === 1 && path.segments[0] !== "tmp";
}

function isHomeProtected(path: Path, inside: bool): bool {
  return takesAny(path, homePlaces, false) || takesAny(path, homeTrees, inside);
}

function takesAny(path: Path, list: Array<Path>, inside: bool): bool {
  for (let i = 0; i < list.length; i++) if (takes(path, list[i], inside)) return true;
  return false;
}

function isFree(path: Path): bool {
  for (let i = 0; i < free.length; i++) if (isBelow(path, free[i])) return true;
  return false;
}

function isHistory(path: Path, project: Path): bool {
  const git = resolve(project, ".git");
  return (
    takes(path, git, false) || takes(path, resolve(git, "objects"), true) || takes(path, resolve(git, "refs"), true)
  );
}

function makeTables(): void {
  if (places.length > 0) return;
  places = pathsOf(PLACES, ROOT);
  trees = pathsOf(TREES, ROOT);
  free = pathsOf(FREE, ROOT);
  homePlaces = pathsOf(HOME_PLACES, HOMES);
  homeTrees = pathsOf(HOME_TREES, HOMES);
}

function pathsOf(texts: StaticArray<string>, base: i32): Array<Path> {
  const paths = new Array<Path>();
  for (let i = 0; i < texts.length; i++) paths.push(resolve(new Path(base), texts[i]));
  return paths;
}

/**
 * Does removing `path` take `place` along? It does above it, at it and, written as a wildcard, in all of it; deeper
 * down only if all in the place is protected too.
 */
function takes(path: Path, place: Path, inside: bool): bool {
  const have = path.segments;
  const want = place.segments;
  if (path.base !== place.base) return path.base === ROOT && isWholeRoot(have);
  if (path.base === HOMES && !isSameUser(path.user, place.user)) return false;
  if (path.ups !== place.ups) return path.ups > place.ups && (have.length === 0 || isWhole(have));
  const shared = min(have.length, want.length);
  for (let i = 0; i < shared; i++) if (!couldBe(path, i, want[i])) return false;
  if (have.length <= want.length) return true;
  return inside || (have.length === want.length + 1 && isEverything(have[want.length]));
}

function couldBe(path: Path, at: i32, name: string): bool {
  const segment = path.segments[at];
  // `/$x` is all of `/` as soon as x is empty; elsewhere a variable is taken to be what its author meant.
  if (isUnknown(segment)) return path.base === ROOT && at === 0 && path.segments.length === 1;
  return mayBe(segment, name);
}

function isWholeRoot(segments: Array<string>): bool {
  return segments.length === 0 || isWhole(segments);
}

function isWhole(segments: Array<string>): bool {
  return segments.length === 1 && isEverything(segments[0]);
}

function isSameUser(one: string, other: string): bool {
  return one.length === 0 || other.length === 0 || mayBe(one, other) || isUnknown(one);
}

/** Is it inside for certain? Wildcards may lead out again. */
function isBelow(path: Path, place: Path): bool {
  if (path.segments.length <= place.segments.length) return false;
  for (let i = 0; i < place.segments.length; i++) if (path.segments[i] !== place.segments[i]) return false;
  return true;
}

/** The target as people would write it, cut to a readable length. */
export function show(text: string): string {
  const start = mark();
  for (let i = 0; i < text.length && i < 60; i++) push(spelling(text.charCodeAt(i)));
  if (text.length > 60) pushText("...");
  return cut(start);
}
