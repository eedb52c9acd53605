import { fitsStars } from "../../text.ts";

/**
 * Patterns in which `*` stands for any run of characters. Matching takes steps in proportion to pattern times text at
 * most: a pattern that backtracks could be made to hang the engine, and a hung engine is an open gate.
 */
export interface StarPattern {
  readonly source: string;
  /** `text` may have {@link HOLE} and {@link OPTIONAL} in it; then: whether it could be a text that matches. */
  matches(text: string): boolean;
}

/** Stands in a text for characters that nobody knows. A noncharacter: {@link withoutMarks} keeps it out of real text. */
export const HOLE = "\uffff";
/** Stands before a space and a hole that may both be missing: an argument that may turn out to be no argument. */
export const OPTIONAL = "\ufffe";
const MARKS = /[\ufffe\uffff]/;
const ALL_MARKS = /[\ufffe\uffff]/g;

export function withoutMarks(text: string): string {
  return MARKS.test(text) ? text.replace(ALL_MARKS, "\ufffd") : text;
}

export function starPattern(source: string): StarPattern {
  return {
    source,
    matches: (text) => (MARKS.test(text) ? couldMatch(source, text) : fitsStars(text, source)),
  };
}

// Some tens of milliseconds.
const MAX_STEPS = 8_000_000;

/** For each place in the text, the places of the pattern that can be reached there: at most their product. */
function couldMatch(pattern: string, text: string): boolean {
  const width = pattern.length + 1;
  if (width * text.length > MAX_STEPS) return true;
  // A text that may skip ahead does so by three places.
  const rows = Array.from({ length: 4 }, () => new Uint8Array(width));
  const rowAt = (at: number): Uint8Array => rows[at % 4] as Uint8Array;
  rowAt(0)[0] = 1;
  let lastReached = 0;
  for (let at = 0; at <= text.length; at++) {
    if (at > lastReached) return false;
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
