/**
 * Bounds on JSON from outside, counted before the text is parsed. `JSON.parse` itself neither overflows nor
 * stops: an array that is nested a million times, or holds a million empty objects, costs seconds and gigabytes, and
 * the recursive code that reads the result runs out of stack.
 */

export interface JsonBounds {
  /** Most objects and arrays that one value is within, itself included. */
  readonly depth: number;
  /** Most values: objects, arrays, strings, numbers, `true`, `false` and `null`. Keys are not counted. */
  readonly values: number;
}

/** For payloads and replies. Readers in guards stop at a depth of 128 too, for example those written in Rust. */
export const JSON_BOUNDS: JsonBounds = { depth: 128, values: 200_000 };

/** The bound that a text or a value exceeds. Counting stops there, so `value` is what was seen, not the total. */
export interface JsonExcess {
  readonly bound: keyof JsonBounds;
  readonly limit: number;
  readonly value: number;
  /** What exceeds which limit, as the end of a sentence: "is nested deeper than 128 levels". */
  readonly message: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const SPACE = 0x20;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Counts the levels and values of a JSON text in one pass and stops at the first bound that is exceeded. Of a text that
 * is not JSON it counts what a parser would have read up to the first mistake, or more. Never throws.
 */
export function excessOfText(text: string, bounds: JsonBounds = JSON_BOUNDS): JsonExcess | undefined {
  return scan(text, bounds).excess;
}

/**
 * Why a text is beyond the bounds, and the members of its outermost object before that, as JSON text of their own: a
 * refused payload still tells its event and its id by them. The members are valid JSON only if `text` begins as an object.
 */
export function membersBeforeExcess(
  text: string,
  bounds: JsonBounds = JSON_BOUNDS,
): { readonly excess: JsonExcess | undefined; readonly members: string } {
  const { excess, membersEnd } = scan(text, bounds);
  return { excess, members: `${text.slice(0, membersEnd)}}` };
}

interface Scan {
  readonly excess: JsonExcess | undefined;
  /** Where the last comma between members of the outermost value is; 0 without one. */
  readonly membersEnd: number;
}

function scan(text: string, bounds: JsonBounds): Scan {
  let depth = 0;
  let values = 1;
  let membersEnd = 0;
  // An array or object was opened, and nothing in it was seen yet. Commas count the values after the first one.
  let isFresh = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit <= SPACE) continue;
    if (unit === COMMA) {
      if (depth === 1) membersEnd = at;
    } else if (unit === CLOSE_ARRAY || unit === CLOSE_OBJECT) {
      depth -= 1;
      isFresh = false;
      continue;
    } else {
      const isFirst = isFresh;
      isFresh = unit === OPEN_ARRAY || unit === OPEN_OBJECT;
      if (isFresh) {
        depth += 1;
        if (depth > bounds.depth) return { excess: excessOf("depth", bounds, depth), membersEnd };
      } else if (unit === QUOTE) at = endOfString(text, at);
      if (!isFirst) continue;
    }
    values += 1;
    if (values > bounds.values) return { excess: excessOf("values", bounds, values), membersEnd };
  }
  return { excess: undefined, membersEnd };
}

/** Where the string's closing quote is. By `indexOf`, since most of a large payload is one string of few quotes. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}

/**
 * The same for a value in memory, by what `JSON.stringify` would visit: own enumerable members, shared ones as often as
 * they are referred to. A value that contains itself is too deep. Throws only what a getter or a proxy throws.
 */
export function excessOfValue(value: unknown, bounds: JsonBounds = JSON_BOUNDS): JsonExcess | undefined {
  let values = 1;
  let level = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > bounds.depth) return excessOf("depth", bounds, depth);
    const next: object[] = [];
    for (const container of level) {
      // The length before the members: a sparse array has more values in JSON than in memory.
      values += Array.isArray(container) ? container.length : 0;
      if (values > bounds.values) return excessOf("values", bounds, values);
      const members: readonly unknown[] = Array.isArray(container) ? container : Object.values(container);
      if (!Array.isArray(container)) values += members.length;
      if (values > bounds.values) return excessOf("values", bounds, values);
      for (const member of members) if (isContainer(member)) next.push(member);
    }
    level = next;
  }
  return undefined;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function excessOf(bound: keyof JsonBounds, { [bound]: limit }: JsonBounds, value: number): JsonExcess {
  const message = bound === "depth" ? `is nested deeper than ${limit} levels` : `has more than ${limit} values`;
  return { bound, limit, value, message };
}
