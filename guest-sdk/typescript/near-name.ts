/**
 * Returns `; did you mean "events"?` if a known name differs by one typing error; otherwise an empty text. Used only at
 * build time.
 */
export function didYouMean(given: unknown, known: readonly string[]): string {
  if (typeof given !== "string") return "";
  const near = known.find((name) => isOneSlipFrom(given.toLowerCase(), name.toLowerCase()));
  return near === undefined ? "" : `; did you mean "${near}"?`;
}

/** Whether the names differ by one added, missing or replaced letter, or by two swapped letters. */
function isOneSlipFrom(given: string, known: string): boolean {
  let start = 0;
  while (start < given.length && given[start] === known[start]) start += 1;
  let end = 0;
  const shorter = Math.min(given.length, known.length);
  while (end < shorter - start && given.at(-1 - end) === known.at(-1 - end)) end += 1;
  const [one, other] = [given, known].map((text) => text.slice(start, text.length - end)) as [string, string];
  if (one.length <= 1 && other.length <= 1) return true;
  return one.length === 2 && other.length === 2 && one[0] === other[1] && one[1] === other[0];
}
