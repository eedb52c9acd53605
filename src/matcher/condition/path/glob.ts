import { type Steps, UNBOUNDED } from "../../steps.ts";

/**
 * Patterns for paths: `*` and `?` within a name, `**` across folders, `[a-z]`, `{a,b}`. Matching advances all positions
 * in the pattern at once, so the number of steps is at most pattern length times path length. File names that start
 * with a dot are treated like other names.
 */
export interface PathGlob {
  /** Whether the path or one of its parent folders matches. */
  contains(path: string, steps?: Steps): boolean;
  /** Whether the path itself matches. */
  matches(path: string, steps?: Steps): boolean;
  /** Whether a path in this folder could match. */
  reachesInto(folder: string, steps?: Steps): boolean;
}

type CompiledGlob =
  | { readonly ok: true; readonly glob: PathGlob }
  | { readonly ok: false; readonly message: string; readonly hint?: string };

type Token =
  | { readonly kind: "char"; readonly char: string }
  | { readonly kind: "set"; readonly fits: (char: string) => boolean; readonly steps: number }
  /** Matches any characters, within a name or across folders. */
  | { readonly kind: "star"; readonly crosses: boolean }
  /** The slash after a `**`. The slash is optional if the `**` matches nothing. */
  | { readonly kind: "folders" };

const MAX_GLOB_LENGTH = 500;
const MAX_ALTERNATIVES = 64;
/** The maximum number of tokens of all alternatives together. */
const MAX_TOKENS = 4_000;
/** The maximum length of a path. A longer path counts as a match. */
export const MAX_PATH_LENGTH = 4_096;

export function compileGlob(source: string): CompiledGlob {
  if (source.length > MAX_GLOB_LENGTH) {
    return {
      ok: false,
      message: `the path pattern is ${source.length} characters long; the limit is ${MAX_GLOB_LENGTH}`,
    };
  }
  if (/[?*+@!]\(/.test(source)) {
    return { ok: false, message: `"${source}" is not a path pattern`, hint: "for alternatives write {a,b}" };
  }
  const alternatives = expandBraces(source);
  if (alternatives === undefined) {
    return { ok: false, message: `"${source}" has more than ${MAX_ALTERNATIVES} alternatives` };
  }
  const programs: Token[][] = [];
  for (const alternative of alternatives) {
    const tokens = tokensOf(alternative);
    if (typeof tokens === "string") return { ok: false, message: `"${source}" is not a path pattern: ${tokens}` };
    programs.push(tokens);
  }
  if (programs.reduce((sum, { length }) => sum + length, 0) > MAX_TOKENS) {
    return { ok: false, message: `"${source}" has too many long alternatives` };
  }
  const some = (path: string, goal: Goal, steps = UNBOUNDED): boolean =>
    path.length > MAX_PATH_LENGTH || programs.some((tokens) => run(tokens, path, goal, steps));
  return {
    ok: true,
    glob: {
      matches: (path, steps) => some(path, "whole", steps),
      contains: (path, steps) => some(path, "folder", steps),
      reachesInto: (folder, steps) => some(folder.endsWith("/") ? folder : `${folder}/`, "start", steps),
    },
  };
}

/** Returns the total length of a pattern's alternatives. For a refused pattern, returns the pattern's length. */
export function expandedLength(source: string): number {
  const alternatives = source.length > MAX_GLOB_LENGTH ? undefined : expandBraces(source);
  return alternatives?.reduce((sum, { length }) => sum + length, 0) ?? source.length;
}

/** Expands the innermost braces first. Braces without a comma are plain text. `undefined`: too many alternatives. */
function expandBraces(source: string): readonly string[] | undefined {
  const open = [source];
  const done: string[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const braces = /\{([^{}]*,[^{}]*)\}/.exec(next);
    if (braces === null) done.push(next);
    else {
      const [whole, inner = ""] = braces;
      const [before, after] = [next.slice(0, braces.index), next.slice(braces.index + whole.length)];
      for (const choice of inner.split(",")) open.push(`${before}${choice}${after}`);
    }
    if (open.length + done.length > MAX_ALTERNATIVES) return undefined;
  }
  return done;
}

function tokensOf(source: string): Token[] | string {
  const tokens: Token[] = [];
  for (let at = 0; at < source.length; at++) {
    const char = source[at] as string;
    if (char === "*") {
      let stars = 1;
      while (source[at + 1] === "*") {
        stars++;
        at++;
      }
      const alone =
        (at - stars < 0 || source[at - stars] === "/") && (at + 1 === source.length || source[at + 1] === "/");
      const crosses = stars > 1 && alone;
      tokens.push({ kind: "star", crosses });
      if (crosses && source[at + 1] === "/") {
        tokens.push({ kind: "folders" });
        at++;
      }
    } else if (char === "?") tokens.push({ kind: "set", fits: (one) => one !== "/", steps: 0 });
    else if (char === "[") {
      const end = source.indexOf("]", source[at + 1] === "]" || /^[!^]\]/.test(source.slice(at + 1)) ? at + 3 : at + 2);
      if (end === -1) return "a [ is not closed";
      tokens.push({ kind: "set", fits: setOf(source.slice(at + 1, end)), steps: STEPS_PER_MEMBER * (end - at) });
      at = end;
    } else if (char === "\\" && at + 1 < source.length) tokens.push({ kind: "char", char: source[++at] as string });
    else tokens.push({ kind: "char", char });
  }
  return tokens;
}

function setOf(body: string): (char: string) => boolean {
  const negated = /^[!^]/.test(body);
  const members = negated ? body.slice(1) : body;
  const ranges: [string, string][] = [];
  for (let at = 0; at < members.length; at++) {
    const from = members[at] as string;
    const to = members[at + 1] === "-" ? members[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return (char) => char !== "/" && ranges.some(([from, to]) => from <= char && char <= to) !== negated;
}

type Goal = "whole" | "folder" | "start";

const STEPS_PER_TOKEN = 10;
const STEPS_PER_MEMBER = 4;

function run(tokens: readonly Token[], path: string, goal: Goal, steps: Steps): boolean {
  const end = tokens.length;
  steps.take(50 + end);
  let places = new Uint8Array(end + 1);
  let next = new Uint8Array(end + 1);
  // `**/` at the start or after a slash may match nothing.
  const enter = (into: Uint8Array, place: number, behindSlash: boolean): void => {
    for (let at = place; at <= end && into[at] === 0; at++) {
      into[at] = 1;
      const token = tokens[at];
      if (token?.kind !== "star") return;
      if (token.crosses && tokens[at + 1]?.kind === "folders") {
        if (behindSlash) enter(into, at + 2, behindSlash);
      }
    }
  };
  enter(places, 0, true);
  for (const char of path) {
    if (char === "/" && goal === "folder" && places[end] === 1) return true;
    next.fill(0);
    let alive = false;
    let taken = end;
    for (let at = 0; at < end; at++) {
      if (places[at] === 0) continue;
      const token = tokens[at] as Token;
      taken += STEPS_PER_TOKEN + (token.kind === "set" ? token.steps : 0);
      const isSlash = char === "/";
      if (token.kind === "star") {
        if (!isSlash || token.crosses) enter(next, at, isSlash);
        else continue;
      } else if (token.kind === "folders" ? isSlash : token.kind === "char" ? token.char === char : token.fits(char)) {
        enter(next, at + 1, isSlash);
      } else continue;
      alive = true;
    }
    [places, next] = [next, places];
    steps.take(taken);
    if (!alive) return false;
  }
  return goal === "start" || places[end] === 1;
}
