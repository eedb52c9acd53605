/**
 * The largest estimate that is compiled. Programs of 2,500 instructions have smaller estimates. Compiling a pattern of
 * this size takes tens of milliseconds.
 */
export const MAX_UNFOLDED = 10_000;

/** The largest count in a repetition. The compiler refuses a larger count before it unfolds the pattern. */
const MAX_COUNT = 1_000;

const TOKENS = /\\(?:[pPx]\{[^}]*\}|[\s\S])|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|\{(\d{1,4})(?:,(\d{0,4}))?\}|[\s\S]/g;

/**
 * Estimates from the text how many instructions a pattern unfolds into. Compiling the pattern first is too slow: 285
 * repetitions of `a{1000}` take two seconds.
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
