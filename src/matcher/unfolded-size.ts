/**
 * Larger than the estimate for any program of 2,500 instructions. Compiling a pattern of this size takes tens of
 * milliseconds.
 */
export const MAX_UNFOLDED = 10_000;

/** The compiler refuses a larger count before it unfolds the pattern. */
const MAX_COUNT = 1_000;

const TOKENS = /\\(?:[pPx]\{[^}]*\}|[\s\S])|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|\{(\d{1,4})(?:,(\d{0,4}))?\}|[\s\S]/g;

/**
 * Estimates how many instructions a pattern unfolds into. The estimate uses the text, because compiling 285 repetitions
 * of `a{1000}` takes two seconds before the program's size is known.
 */
export function unfoldedSize(source: string): number {
  const outside: number[] = [];
  let size = 0;
  let last = 0;
  for (const [token, from, to] of source.matchAll(TOKENS)) {
    if (token === "(") {
      outside.push(size);
      size = 0;
    } else if (token === ")") {
      last = size + 2;
      size = (outside.pop() ?? 0) + last;
    } else {
      const times = from === undefined ? 1 : Math.max(1, Number(from), Number(to ?? 0));
      const added = from === undefined ? 1 : times > MAX_COUNT ? 0 : last * (times - 1);
      size += added;
      last = from === undefined ? 1 : last + added;
    }
  }
  return outside.reduce((sum, one) => sum + one, size);
}
