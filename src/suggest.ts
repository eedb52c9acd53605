import { lazyPackage } from "./lazy-package.ts";

const levenshtein = lazyPackage<typeof import("fastest-levenshtein")>("fastest-levenshtein");

/** Returns "did you mean …?" for a misspelt word. Returns `undefined` if no known word is near. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const near = nearest(word, known);
  return near === undefined ? undefined : `did you mean "${near}"?`;
}

export function nearest(word: string, known: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const most = Math.max(1, Math.floor(lower.length / 3));
  // Two words differ by at least the difference of their lengths. This check keeps files with thousands of unknown
  // words cheap.
  const spellings = new Map(
    known
      .map((name) => [name.toLowerCase(), name] as const)
      .filter(([spelling]) => Math.abs(spelling.length - lower.length) <= most),
  );
  if (spellings.size === 0) return undefined;
  const found = levenshtein().closest(lower, [...spellings.keys()]);
  if (levenshtein().distance(lower, found) <= most) return spellings.get(found);
  return [...spellings].find(([spelling]) => isSwap(lower, spelling))?.[1];
}

/** Whether two words differ only in two swapped neighbours, which the edit distance counts as two mistakes. */
function isSwap(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  const at = [...one].findIndex((letter, index) => letter !== other[index]);
  const swapped = `${one.slice(0, at)}${one[at + 1] ?? ""}${one[at] ?? ""}${one.slice(at + 2)}`;
  return at >= 0 && swapped === other;
}
