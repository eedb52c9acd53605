import { type Steps, UNBOUNDED } from "../../steps.ts";
import { type Instruction, type Refusal, readGlob } from "./glob-program.ts";

/**
 * A pattern in the language of picomatch. Matching advances all positions in the pattern at once, so the number of steps
 * is at most pattern length times path length. File names that start with a dot are treated like other names.
 */
export interface PathGlob {
  /** Whether the path or one of its parent folders matches. */
  contains(path: string, steps?: Steps): boolean;
  /** Whether the path itself matches. */
  matches(path: string, steps?: Steps): boolean;
  /** Whether a path in this folder could match. */
  reachesInto(folder: string, steps?: Steps): boolean;
}

export type CompiledGlob = { readonly ok: true; readonly glob: PathGlob } | Refusal;

const MAX_GLOB_LENGTH = 500;
/** picomatch needs time in proportion to the square of this number. */
const MAX_GROUPS = 64;
/** The maximum length of a path. A longer path counts as a match. */
export const MAX_PATH_LENGTH = 4_096;

export function compileGlob(source: string): CompiledGlob {
  if (source.length > MAX_GLOB_LENGTH) {
    return {
      ok: false,
      message: `the path pattern is ${source.length} characters long; the limit is ${MAX_GLOB_LENGTH}`,
    };
  }
  if (source.split(/[({]/).length > MAX_GROUPS + 1) {
    return { ok: false, message: `"${source}" has more than ${MAX_GROUPS} parentheses and braces` };
  }
  const read = readGlob(source);
  if (!read.ok) return read;
  const { programs } = read;
  const some = (path: string, goal: Goal, steps = UNBOUNDED): boolean =>
    path.length > MAX_PATH_LENGTH || programs.some((program) => run(program, path, goal, steps));
  return {
    ok: true,
    glob: {
      matches: (path, steps) => some(path, "whole", steps),
      contains: (path, steps) => some(path, "folder", steps),
      reachesInto: (folder, steps) => some(folder.endsWith("/") ? folder : `${folder}/`, "start", steps),
    },
  };
}

type Goal = "whole" | "folder" | "start";

const STEPS_PER_PLACE = 10;

function run(program: readonly Instruction[], path: string, goal: Goal, steps: Steps): boolean {
  const end = program.length;
  steps.take(50 + end);
  let places = new Uint8Array(end + 1);
  let next = new Uint8Array(end + 1);
  // `**/` at the start or after a slash may match nothing.
  const enter = (into: Uint8Array, place: number, behindSlash: boolean): void => {
    for (let at = place; at <= end && into[at] === 0; at++) {
      into[at] = 1;
      const instruction = program[at];
      if (instruction?.kind === "split") for (const one of instruction.to) enter(into, one, behindSlash);
      if (instruction?.kind !== "star") return;
      if (behindSlash && program[at + 1]?.kind === "folders") enter(into, at + 2, behindSlash);
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
      const one = program[at] as Instruction;
      taken += STEPS_PER_PLACE + stepsOf(one);
      if (!accepts(one, char)) continue;
      enter(next, one.kind === "star" ? at : at + 1, char === "/");
      alive = true;
    }
    [places, next] = [next, places];
    steps.take(taken);
    if (!alive) return false;
  }
  return goal === "start" || places[end] === 1;
}

function stepsOf(one: Instruction): number {
  return one.kind === "set" ? one.steps : one.kind === "split" ? one.to.length : 0;
}

function accepts(one: Instruction, char: string): boolean {
  switch (one.kind) {
    case "char":
      return one.char === char;
    case "set":
      return one.fits(char);
    case "star":
      return one.crosses || char !== "/";
    case "folders":
      return char === "/";
    default:
      return false;
  }
}
