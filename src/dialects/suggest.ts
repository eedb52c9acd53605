import { closest, distance } from "fastest-levenshtein";

/** "did you mean …?" for a misspelt word, or nothing when no known word is near. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const near = nearest(word, known);
  return near === undefined ? undefined : `did you mean "${near}"?`;
}

export function nearest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const lower = word.toLowerCase();
  const spellings = new Map(known.map((name) => [name.toLowerCase(), name]));
  const found = closest(lower, [...spellings.keys()]);
  return distance(lower, found) <= Math.max(1, Math.floor(lower.length / 3)) ? spellings.get(found) : undefined;
}
