// Reads texts whose characters are escaped: `%3A`, `\u003a`, `\x3a`. A secret in such a text has the spelling of the text.

const ESCAPE = /%([2-7][\dA-Fa-f])|\\{1,2}(?:u00|x)([2-7][\dA-Fa-f])/g;

/** The maximum length of a text that is read a second time, without its escapes. */
const MAX_ESCAPED = 8_192;

/** A text without its escapes. */
export interface Unescaped {
  readonly text: string;
  /** Returns how the text with escapes spells a part of this one. */
  spellingOf(start: number, end: number): string;
}

/** Returns the text without escapes of visible characters. Returns `undefined` if there are none, or the text is long. */
export function withoutEscapes(text: string): Unescaped | undefined {
  if (text.length > MAX_ESCAPED || !mayHoldEscapes(text)) return undefined;
  let plain = "";
  let from = 0;
  /** For each escape, its place in the plain text and the number of characters that were left out up to its end. */
  const places: number[] = [];
  const omitted: number[] = [];
  ESCAPE.lastIndex = 0;
  for (let found = ESCAPE.exec(text); found !== null; found = ESCAPE.exec(text)) {
    const [whole, percent, backslash] = found;
    plain += text.slice(from, found.index);
    places.push(plain.length);
    plain += String.fromCharCode(Number.parseInt(percent ?? backslash ?? "", 16));
    from = found.index + whole.length;
    omitted.push(from - plain.length);
  }
  if (places.length === 0) return undefined;
  const rawAt = (at: number): number => at + (omitted[countBelow(places, at) - 1] ?? 0);
  return { text: plain + text.slice(from), spellingOf: (start, end) => text.slice(rawAt(start), rawAt(end)) };
}

function mayHoldEscapes(text: string): boolean {
  return text.includes("%") || text.includes("\\u00") || text.includes("\\x");
}

/** Returns how many of the ascending numbers are less than `limit`. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
