import { SET } from "./marks.ts";
import type { ShellReader } from "./reader.ts";

const ASSIGNMENT = new RegExp(`^([A-Za-z_]\\w*)(?:${SET}[^\\]]*\\])?\\+?=`);

const INDEX = new RegExp(`[${SET}[]`);
const ARRAY = new RegExp(`^[A-Za-z_]\\w*\\+?=\\(|[${SET}[]`);

/** Whether a word is `NAME=…`, `NAME+=…` or `NAME[…]=…`. */
export function isAssignment(word: string): boolean {
  return word.includes("=") && ASSIGNMENT.test(word);
}

/** Whether a builtin that takes this word as a variable runs a command in it: `a[$(command)]` or `a=($(command))`. */
export function evaluatesAsName(word: string, declares = false): boolean {
  const index = word.search(declares ? ARRAY : INDEX);
  return index >= 0 && /[$`]/.test(word.slice(index));
}

/** Records the value of an assignment. Ignores other words. */
export function assign(reader: ShellReader, word: string): void {
  const found = word.includes("=") ? ASSIGNMENT.exec(word) : null;
  if (found?.[1] === undefined) return;
  const value = word.slice(found[0].length);
  const before = found[0].endsWith("+=") ? reader.valuesOf(found[1]) : undefined;
  reader.assign(found[1], before?.length === 1 ? [`${before[0]}${value}`] : [value]);
}

/** Returns the name if the word is exactly `NAME=`. */
export function arrayName(word: string): string | undefined {
  const found = word.endsWith("=") ? ASSIGNMENT.exec(word) : null;
  return found?.[0] === word ? found[1] : undefined;
}
