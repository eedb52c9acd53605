// Compares paths with patterns, by their text only, in the spelling that any file system may accept.

import { ANY, FETCHED, isMark, SET, STAR, UNKNOWN } from "../../src/shell/marks.ts";
import type { Path } from "../shell-guard/paths/path.ts";

interface Pattern {
  readonly allows: boolean;
  /** Where the pattern starts. `anywhere`: at any depth. */
  readonly base: "anywhere" | "home" | "root";
  readonly segments: readonly string[];
}

/** The names of a path in the form in which patterns are compared. */
export interface Named {
  readonly base: Path["base"];
  readonly names: readonly string[];
  /** Whether a name contains wildcards or unknown parts. */
  readonly isOpen: boolean;
}

export function named({ base, segments }: Path): Named {
  const names = segments.map(folded);
  return { base, names, isOpen: names.some((name) => OPEN.test(name)) };
}

/** A list of patterns, as in `.gitignore`: the last matching pattern counts, and `!` makes an exception. */
export class Patterns {
  readonly #patterns: readonly Pattern[];
  /** The indices of patterns by their first name. Most names begin no pattern. */
  readonly #byName = new Map<string, number[]>();
  /** The indices of patterns whose first name contains a wildcard. */
  readonly #others: number[] = [];

  constructor(texts: readonly string[]) {
    this.#patterns = texts.map(compiled);
    for (const [at, { segments }] of this.#patterns.entries()) {
      const [first = ""] = segments;
      const known = this.#byName.get(first);
      if (first.includes("*")) this.#others.push(at);
      else if (known === undefined) this.#byName.set(first, [at]);
      else known.push(at);
    }
  }

  /** Whether a path is one of the places, or inside of one. `undefined` if no pattern matches. */
  verdict(path: Named): boolean | undefined {
    let last = -1;
    const { names, base, isOpen } = path;
    const consider = (at: number, start: number): void => {
      const pattern = this.#patterns[at] as Pattern;
      if (at <= last || (pattern.base !== "anywhere" && (start > 0 || base !== pattern.base))) return;
      if (start + pattern.segments.length <= names.length && startsWith(names, pattern.segments, start)) last = at;
    };
    for (const [start, name] of names.entries()) {
      if (isOpen) for (const at of this.#patterns.keys()) consider(at, start);
      else {
        for (const at of this.#byName.get(name) ?? []) consider(at, start);
        for (const at of this.#others) consider(at, start);
      }
    }
    return last < 0 ? undefined : !this.#patterns[last]?.allows;
  }

  /** Whether a folder contains one of the places by its pattern: `.claude` for `.claude/settings.json`. */
  isIn(path: Named): boolean {
    return this.#patterns.some((pattern) => !pattern.allows && contains(path, pattern));
  }
}

function compiled(text: string): Pattern {
  const allows = text.startsWith("!");
  const rest = allows ? text.slice(1) : text;
  const base = rest.startsWith("~/") ? "home" : rest.startsWith("/") ? "root" : "anywhere";
  const segments = rest.split("/").filter((part) => part !== "" && part !== "." && part !== "~");
  return { allows, base, segments: segments.map(folded) };
}

/** Characters that macOS ignores in names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Returns a name as file systems compare names that ignore case and forms of Unicode. Windows also ignores dots and
 * blanks at the end, and a stream after a colon.
 */
function folded(name: string): string {
  const lower = name.toLowerCase();
  if (/^[a-z0-9_-][\w.-]*\w$/.test(lower)) return lower;
  return lower
    .normalize("NFC")
    .replace(IGNORED, "")
    .replace(/(?<=[^.])(?:::?\$data|[. ]+)$/, "");
}

function startsWith(names: readonly string[], segments: readonly string[], start: number): boolean {
  return segments.every((segment, at) => isNamed(names[start + at], segment));
}

function contains({ base: start, names }: Named, { base, segments }: Pattern): boolean {
  if (base !== "anywhere") {
    return start === base && names.length < segments.length && names.every((name, at) => isNamed(name, segments[at]));
  }
  for (let length = Math.min(names.length, segments.length - 1); length > 0; length--)
    if (names.slice(-length).every((name, at) => isNamed(name, segments[at]))) return true;
  return false;
}

function isNamed(name: string | undefined, pattern: string | undefined): boolean {
  if (name === undefined || pattern === undefined) return false;
  if (name === pattern) return true;
  const star = pattern.indexOf("*");
  const isOpen = OPEN.test(name);
  if (!isOpen && star < 0) return false;
  if (!isOpen && star === pattern.lastIndexOf("*")) {
    const [head, tail] = [pattern.slice(0, star), pattern.slice(star + 1)];
    return name.length >= head.length + tail.length && name.startsWith(head) && name.endsWith(tail);
  }
  // `*.json` in a command rarely means a protected file. `.e*` does.
  if (isOpen && name.search(OPEN) < MIN_KNOWN) return false;
  return meet(name, 0, pattern, 0);
}

const OPEN = new RegExp(`[${STAR}${ANY}${SET}${UNKNOWN}${FETCHED}]`);
/** How many characters before a wildcard must be known for a name to count. */
const MIN_KNOWN = 2;

/** Whether some name fits both texts. Wildcards in `name` are marks, and `*` in `pattern`. */
function meet(name: string, i: number, pattern: string, j: number): boolean {
  const one = name[i];
  const other = pattern[j];
  if (other === "*") return meet(name, i, pattern, j + 1) || (one !== undefined && meet(name, i + 1, pattern, j));
  if (one === undefined) return other === undefined;
  if (one === STAR || one === UNKNOWN || one === FETCHED)
    return meet(name, i + 1, pattern, j) || (other !== undefined && meet(name, i, pattern, j + 1));
  if (other === undefined) return false;
  if (one === SET) return meet(name, name.indexOf("]", i) + 1 || name.length, pattern, j + 1);
  return (one === other || one === ANY || isMark(one)) && meet(name, i + 1, pattern, j + 1);
}
