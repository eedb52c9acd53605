import { SET } from "./marks.ts";

const ASSIGNMENT = new RegExp(`^([A-Za-z_]\\w*)(?:${SET}[^\\]]*\\])?\\+?=`);

/** `NAME=…`, `NAME+=…` and `NAME[…]=…`. */
export function isAssignment(word: string): boolean {
  return word.includes("=") && ASSIGNMENT.test(word);
}

/** Keeps the value of an assignment; does nothing with any other word. */
export function assign(variables: Map<string, readonly string[]>, word: string): void {
  const found = word.includes("=") ? ASSIGNMENT.exec(word) : null;
  if (found?.[1] !== undefined) variables.set(found[1], [word.slice(found[0].length)]);
}

/** The name in a word that is nothing but `NAME=`. */
export function arrayName(word: string): string | undefined {
  const found = word.endsWith("=") ? ASSIGNMENT.exec(word) : null;
  return found?.[0] === word ? found[1] : undefined;
}
