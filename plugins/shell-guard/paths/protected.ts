import { GIVEN, HOME, spelled, UNKNOWN } from "../../../src/shell/marks.ts";
import type { Directories } from "./directory.ts";
import { isEverything, mayBe, type Path, ROOT, resolve } from "./path.ts";
import { CACHES, FREE, HOME_CACHES, HOME_PLACES, HOME_TREES, PLACES, TEMPORARY, TREES } from "./tables.ts";

/** Which protections to check. */
export interface Scope {
  /** Whether to check directories of the system, and homes. */
  readonly system?: boolean;
  /** Whether to check paths deep inside of a system directory too. */
  readonly inside?: boolean;
  /** Whether to check the working directory and its git history. */
  readonly work?: boolean;
  /**
   * Whether to check only a protected path itself and paths in it. Used for paths of the rule's author, because writing
   * to a parent directory does not change them.
   */
  readonly onto?: boolean;
}

/** A path of the rule's author, a place of the machine or a home, the working directory, or its git history. */
export type Protection = "configured" | "system" | "project" | "history";

export const NAMES: Readonly<Record<Protection, string>> = {
  configured: "a protected path",
  system: "a protected path",
  project: "the working directory",
  history: "the git history",
};

/** `above` is a path outside of the working directory that is relative to it. */
export type Whereabouts = "inside" | "above" | "outside" | "temporary" | "cache" | "unknown";

/** The protected paths: the built-in paths, and the paths of the rule's author. */
export class Protected {
  readonly directories: Directories;
  readonly #configured: readonly Path[];
  /** Further folders for work, in addition to the working directory. */
  readonly #work: readonly Path[];

  constructor(directories: Directories, configured: readonly string[], work: readonly string[] = []) {
    this.directories = directories;
    const paths = (texts: readonly string[]): Path[] =>
      texts.filter((text) => text !== "").map((text) => resolve(directories.working, withHome(text)));
    this.#configured = paths(configured);
    this.#work = paths(work);
  }

  get hasConfigured(): boolean {
    return this.#configured.length > 0;
  }

  /** Returns what is lost if this path is removed with everything in it; `undefined` if that is not protected. */
  protection(target: string, scope: Scope): Protection | undefined {
    // An empty word is not a file name.
    if (target === "") return undefined;
    const { now, current } = this.directories;
    const found = this.#protectionOf(resolve(now, target), scope);
    if (found !== undefined || current?.before === undefined) return found;
    return this.#protectionOf(resolve(current.before, target), scope);
  }

  /**
   * Whether the path may be protected, because it is relative to an unknown directory. A name alone does not identify a
   * system directory, because projects have a `lib` and a `bin` too. A path above the unknown directory may.
   */
  mayProtect(target: string, { system, inside = false, onto = false }: Scope): boolean {
    const { now } = this.directories;
    if (now.base !== "working") return false;
    const { base, ups, segments } = resolve(now, target);
    if (base !== "working" || segments.length === 0) return false;
    if (this.#configured.some((place) => place.base !== "working" && endsAt(place.segments, segments, onto)))
      return true;
    return system === true && ups > 0 && isKnown(resolve(ROOT, `/${segments.join("/")}`), inside);
  }

  #protectionOf(path: Path, { system, inside = false, work, onto = false }: Scope): Protection | undefined {
    for (const place of this.#configured) {
      if (takes(path, place, true) && !(onto && isAbove(path, place))) return "configured";
    }
    if (system && isSystem(path, inside)) return "system";
    if (!work) return undefined;
    const { working, now } = this.directories;
    if (takes(path, working, false)) return "project";
    if (isHistory(path, now) || (now !== working && isHistory(path, working))) return "history";
    return undefined;
  }

  /** Returns where a path is, for paths that are not protected. */
  whereabouts(target: string): Whereabouts {
    const { now, working } = this.directories;
    // Most targets are names in the project.
    if (now === working && /^[\w.-]/.test(target) && !target.includes("..")) return "inside";
    const path = resolve(now, target);
    if (path.base === "nowhere") return "unknown";
    if (path.base === "root" && TEMPORARY.some((place) => isIn(path, place))) return "temporary";
    const caches = path.base === "home" ? HOME_CACHES : CACHES;
    if (path.base !== "working" && caches.some((place) => isIn(path, place))) return "cache";
    if (path.base === "working") return path.ups > 0 ? "above" : "inside";
    const isWork = (place: Path): boolean =>
      path.base === place.base && isSameUser(path.user, place.user) && isIn(path, place.segments);
    if (isWork(working) || this.#work.some(isWork)) return "inside";
    return target[0] === "/" || target[0] === HOME ? "outside" : "above";
  }
}

function isIn(path: Path, place: readonly string[]): boolean {
  return path.segments.length >= place.length && place.every((name, i) => path.segments[i] === name);
}

/** Expands a leading `~` of a path that no shell has read, as a shell would. */
export function withHome(text: string): string {
  return text === "~" || text.startsWith("~/") ? HOME + text.slice(1) : text;
}

function isAbove(path: Path, place: Path): boolean {
  return path.base !== place.base || path.ups > place.ups || path.segments.length < place.segments.length;
}

function isSystem(path: Path, inside: boolean): boolean {
  // An entry directly below `/` is a disk, a part of the system, or a directory with a user's whole data.
  if (path.base === "root" && path.segments.length === 1 && path.segments[0] !== "tmp") return true;
  return isKnown(path, inside);
}

function isKnown(path: Path, inside: boolean): boolean {
  if (path.base === "home") return takesAny(path, HOME_PLACES, false) || takesAny(path, HOME_TREES, inside);
  if (path.base !== "root") return false;
  if (takesAny(path, PLACES, false)) return true;
  return takesAny(path, TREES, inside) && !(inside && FREE.some((place) => isBelow(path, place)));
}

/** Whether a path from an unknown directory may lead to the place, into it or, unless `onto` is set, above it. */
function endsAt(place: readonly string[], path: readonly string[], onto: boolean): boolean {
  return place.some((_, start) => {
    const rest = place.slice(start);
    if (onto && path.length < rest.length) return false;
    return rest.every((name, at) => path[at] === undefined || mayBe(path[at], name));
  });
}

/** Whether a path takes one of the places. Compares only the segments, so the places must have the path's base. */
function takesAny(path: Path, places: readonly (readonly string[])[], inside: boolean): boolean {
  for (const place of places) if (covers(path, place, inside)) return true;
  return false;
}

function isHistory(path: Path, project: Path): boolean {
  const git = resolve(project, ".git");
  // `objects` and `refs` are inside of `.git`.
  if (!takes(path, git, true)) return false;
  return (
    takes(path, git, false) || takes(path, resolve(git, "objects"), true) || takes(path, resolve(git, "refs"), true)
  );
}

/**
 * Whether removing `path` also removes `place`. True for a path above it, the place itself, and a wildcard for
 * everything in it. For a path deeper inside, true only if `inside` is set.
 */
function takes(path: Path, place: Path, inside: boolean): boolean {
  if (path.base !== place.base) return path.base === "root" && isAbovePlace(path.segments, place.base);
  if (path.base === "home" && !isSameUser(path.user, place.user)) return false;
  if (path.ups !== place.ups) return path.ups > place.ups && isAllOf(path.segments);
  return covers(path, place.segments, inside);
}

/** Like {@link takes}, for the segments. */
function covers(path: Path, want: readonly string[], inside: boolean): boolean {
  const have = path.segments;
  for (let i = 0; i < have.length && i < want.length; i++) if (!couldBe(path, i, want[i] ?? "")) return false;
  if (have.length <= want.length || inside) return true;
  return have.length === want.length + 1 && isEverything(have[want.length] ?? "");
}

function couldBe(path: Path, at: number, name: string): boolean {
  const segment = path.segments[at] ?? "";
  if (segment === name) return true;
  // `/$x` becomes `/` if x is empty. Elsewhere a variable is assumed to have the value that its author meant.
  if (segment === GIVEN) return false;
  if (segment === UNKNOWN) return path.base === "root" && at === 0 && path.segments.length === 1;
  return mayBe(segment, name);
}

/** Whether segments mean everything in a place: there are none, or a wildcard matches everything. */
function isAllOf(segments: readonly string[]): boolean {
  return segments.length === 0 || (segments.length === 1 && isEverything(segments[0] ?? ""));
}

/** Whether a path from the root contains a place with another base. */
function isAbovePlace(segments: readonly string[], base: Path["base"]): boolean {
  if (isAllOf(segments)) return true;
  const [first = ""] = segments;
  return base === "home" && segments.length === 1 && (mayBe(first, "home") || mayBe(first, "Users"));
}

function isSameUser(one: string, other: string): boolean {
  return one === "" || other === "" || mayBe(one, other) || one === UNKNOWN;
}

/** Whether a path is certainly inside of the place. Wildcards may lead out again. */
function isBelow(path: Path, place: readonly string[]): boolean {
  return path.segments.length > place.length && place.every((name, i) => path.segments[i] === name);
}

export function doubtOf(target: string): string {
  return `this path may be protected, because the directory of the call is unknown: ${show(target)}`;
}

/** Returns the target in a readable spelling, cut to a limited length. */
export function show(text: string): string {
  const cut = text.length > 60 ? `${text.slice(0, 60)}...` : text;
  // The cut may have split a surrogate pair.
  return spelled(cut).replace(/\p{Surrogate}/gu, "\ufffd");
}
