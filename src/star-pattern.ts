/**
 * Patterns in which `*` matches any characters. Matching takes steps in proportion to pattern plus text. For texts with
 * {@link HOLE}, matching takes pattern times text. Backtracking is avoided, because it could hang the engine, and a
 * hung engine is an open gate.
 */
export interface StarPattern {
  readonly source: string;
  /** The text with which every match begins. */
  readonly start: string;
  /** Whether the text matches. For a text with {@link HOLE} or {@link OPTIONAL}, whether the text could match. */
  matches(text: string | MarkedText, steps?: StepCounter): boolean;
}

/** Throws if fewer steps are left than `take` asks for. */
interface StepCounter {
  take(count: number): void;
}

const UNBOUNDED: StepCounter = { take: () => {} };

/** A text with marks for unknown parts. Many patterns are matched against the same text. */
export interface MarkedText {
  readonly text: string;
  /** Position of the first mark, or -1. */
  readonly mark: number;
}

/** Marks unknown characters in a text. `HOLE` is a noncharacter, which {@link withoutMarks} removes from real text. */
export const HOLE = "\uffff";
/** Marks an argument that may expand to nothing. Precedes a space and a hole that may both be absent. */
export const OPTIONAL = "\ufffe";
const MARKS = /[\ufffe\uffff]/;
const ALL_MARKS = /[\ufffe\uffff]/g;

export function withoutMarks(text: string): string {
  return MARKS.test(text) ? text.replace(ALL_MARKS, "\ufffd") : text;
}

export function markedText(text: string): MarkedText {
  return { text, mark: text.search(MARKS) };
}

const STEPS_PER_TEXT = 10;

export function starPattern(source: string): StarPattern {
  const [first = "", ...others] = source.split("*");
  const last = others.pop();
  const pieces = others.filter((piece) => piece !== "").map(searchable);
  const baseSteps = STEPS_PER_TEXT + source.length / 16;
  const matches: StarPattern["matches"] = (given, steps = UNBOUNDED) => {
    if (typeof given === "string") steps.take(given.length / 2);
    const { text, mark } = typeof given === "string" ? markedText(given) : given;
    steps.take(baseSteps);
    // The fast path, because most commands differ from most patterns before the first mark.
    if (!text.startsWith(mark < 0 || first.length <= mark ? first : first.slice(0, mark))) return false;
    if (mark >= 0) return couldMatch(source, text, steps);
    if (last === undefined) return text.length === first.length;
    if (text.length - last.length < first.length || !text.endsWith(last)) return false;
    return piecesAreIn(pieces, text, first.length, text.length - last.length, steps);
  };
  return { source, start: first, matches };
}

interface Piece {
  readonly text: string;
  /** For each prefix of the piece, the length of the longest shorter prefix that is also the prefix's suffix. */
  readonly borders: readonly number[];
}

function searchable(text: string): Piece {
  const borders = [0];
  for (let at = 1, length = 0; at < text.length; at++) {
    while (length > 0 && text[at] !== text[length]) length = borders[length - 1] as number;
    if (text[at] === text[length]) length++;
    borders.push(length);
  }
  return { text, borders };
}

/**
 * Searches each piece at its first position, because with `*` alone no later position matches more. `indexOf` is not
 * used, because it takes pattern times text steps for repetitive texts.
 */
function piecesAreIn(pieces: readonly Piece[], text: string, from: number, to: number, steps: StepCounter): boolean {
  if (pieces.length > 0) steps.take(to - from + 4 * pieces.length);
  let at = from;
  for (const piece of pieces) {
    let length = 0;
    for (; length < piece.text.length; at++) {
      if (at >= to) return false;
      const unit = text.charCodeAt(at);
      while (length > 0 && piece.text.charCodeAt(length) !== unit) length = piece.borders[length - 1] as number;
      if (piece.text.charCodeAt(length) === unit) length++;
    }
  }
  return true;
}

// The limit equals tens of milliseconds.
const MAX_STEPS = 8_000_000;
const STEPS_PER_PLACE = 3;

/**
 * Computes the reachable positions of the pattern for each position in the text. The number of steps is at most the
 * product of both lengths.
 */
function couldMatch(pattern: string, text: string, steps: StepCounter): boolean {
  const width = pattern.length + 1;
  if (width * text.length > MAX_STEPS) return true;
  steps.take(100 + width);
  // Four rows are kept, because a text position can skip ahead by three.
  const rows = Array.from({ length: 4 }, () => new Uint8Array(width));
  const rowAt = (at: number): Uint8Array => rows[at % 4] as Uint8Array;
  rowAt(0)[0] = 1;
  let lastReached = 0;
  for (let at = 0; at <= text.length; at++) {
    if (at > lastReached) return false;
    steps.take(STEPS_PER_PLACE * width);
    const row = rowAt(at);
    const char = at < text.length ? text[at] : undefined;
    for (let place = 0; place < width; place++) {
      if (row[place] === 0) continue;
      const wanted = pattern[place];
      if (wanted === "*" || (char === HOLE && wanted !== undefined)) row[place + 1] = 1;
      if (char === undefined) continue;
      if (char === OPTIONAL || char === HOLE) {
        rowAt(at + 1)[place] = 1;
        lastReached = Math.max(lastReached, at + 1);
        if (char === OPTIONAL) {
          rowAt(at + 3)[place] = 1;
          lastReached = at + 3;
        }
      } else if (wanted === "*" || wanted === char) {
        rowAt(at + 1)[wanted === "*" ? place : place + 1] = 1;
        lastReached = Math.max(lastReached, at + 1);
      }
    }
    if (char === undefined) return row[pattern.length] === 1;
    row.fill(0);
  }
  return false;
}
