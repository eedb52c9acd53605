/**
 * Limits for JSON from outside, checked before the text is parsed, because `JSON.parse` has no limits. An array that is
 * nested a million times, or has a million empty objects, costs seconds and gigabytes. Recursive code that reads the
 * result overflows the stack.
 */

export interface JsonBounds {
  /** The maximum number of nested objects and arrays. */
  readonly depth: number;
  /** The maximum number of values: objects, arrays, strings, numbers, `true`, `false` and `null`. Keys do not count. */
  readonly values: number;
}

/** The limits for payloads and replies. Some JSON readers in guards, such as Rust's, also stop at a depth of 128. */
export const JSON_BOUNDS: JsonBounds = { depth: 128, values: 200_000 };

/** The limit that a text or a value exceeds. Counting stops at the limit, so `value` is the count so far. */
export interface JsonExcess {
  readonly bound: keyof JsonBounds;
  readonly limit: number;
  readonly value: number;
  /** The rest of a sentence, such as "is nested deeper than 128 levels". */
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
 * Counts the levels and values of a JSON text in one pass, and stops at the first exceeded limit. In invalid JSON,
 * counts at least what a parser would read before the first mistake. Never throws.
 */
export function excessOfText(text: string, bounds: JsonBounds = JSON_BOUNDS): JsonExcess | undefined {
  return scan(text, bounds).excess;
}

/**
 * Returns the exceeded limit, and the members of the outermost object before that place as a JSON text. A refusal reads
 * the event and the payload's id from this text. The text is valid JSON only if `text` begins as an object.
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
  /** The offset of the last comma between members of the outermost value. 0 if there is none. */
  readonly membersEnd: number;
}

function scan(text: string, bounds: JsonBounds): Scan {
  let depth = 0;
  let values = 1;
  let membersEnd = 0;
  // Whether an array or object was opened and is still empty. Commas count the values after the first value.
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

/** Returns the offset of a string's closing quote. Uses `indexOf`, because a large payload is mostly one string. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}

/**
 * Like {@link excessOfText}, for a value in memory. Counts what `JSON.stringify` would visit: own enumerable members,
 * and shared values once per reference. A cyclic value is too deep. Throws only errors of a getter or a proxy.
 */
export function excessOfValue(value: unknown, bounds: JsonBounds = JSON_BOUNDS): JsonExcess | undefined {
  let values = 1;
  let level = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > bounds.depth) return excessOf("depth", bounds, depth);
    const next: object[] = [];
    for (const container of level) {
      // The length counts, because a sparse array has more values in JSON than in memory.
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
