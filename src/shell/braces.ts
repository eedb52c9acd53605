import { BRACE, CHOICE, STAR } from "./marks.ts";
import type { ShellReader } from "./reader.ts";

const MAX_GROUPS = 8;
const MAX_WORDS = 512;
const WORK_PER_CHARACTER = 30;

/** Expands braces: `a{b,c}` is two words, `{,a}` is one. `{}`, `{x}` and unclosed braces are text. */
export function expandBraces(reader: ShellReader, text: string, out: string[]): void {
  if (!text.includes(CHOICE) && !(reader.guesses && text.includes(".."))) {
    out.push(withoutBraces(reader, text));
    return;
  }
  if (text.split(BRACE).length - 1 > MAX_GROUPS) reader.giveUp("too many brace expansions");
  expandFrom(reader, text, text.indexOf(BRACE), out, out.length + MAX_WORDS);
}

function expandFrom(reader: ShellReader, text: string, from: number, out: string[], limit: number): void {
  const open = text.indexOf(BRACE, from);
  if (open < 0) {
    if (out.length >= limit) reader.giveUp("too many brace expansions");
    if (text !== "") out.push(withoutBraces(reader, text));
    return;
  }
  reader.spend(text.length * WORK_PER_CHARACTER);
  const { choices: listed, close } = choicesOf(text, open);
  const choices = listed.length === 1 && reader.guesses ? rangeOf(listed[0] ?? "") : listed;
  if (choices.length === 0 || (choices === listed && choices.length < 2)) {
    expandFrom(reader, text, open + 1, out, limit);
    return;
  }
  const before = text.slice(0, open);
  const behind = text.slice(close + 1);
  for (const choice of choices) expandFrom(reader, before + choice + behind, open, out, limit);
}

/** Returns the choices between the commas of one group. Returns none if the group is not closed. */
function choicesOf(text: string, open: number): { readonly choices: readonly string[]; readonly close: number } {
  const choices: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < text.length; at++) {
    const char = text[at];
    if (char === BRACE) depth += 1;
    else if (char === "}") depth -= 1;
    if (depth === 0 || (depth === 1 && char === CHOICE)) {
      choices.push(text.slice(start, at));
      start = at + 1;
    }
    if (depth === 0) return { choices, close: at };
  }
  return { choices: [], close: -1 };
}

const RANGE = /^(?:(-?\d{1,6})\.\.(-?\d{1,6})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.-?\d+)?$/;
const MAX_RANGE = 26;

/** Returns the words of `{a..c}` and `{1..9}`: all of them if they are few, otherwise the first and the last. */
function rangeOf(range: string): readonly string[] {
  const [, first, last, from, to] = RANGE.exec(range) ?? [];
  if (first !== undefined && last !== undefined) return between(Number(first), Number(last)).map(String);
  if (from === undefined || to === undefined) return [];
  return between(from.charCodeAt(0), to.charCodeAt(0)).map((code) => String.fromCharCode(code));
}

function between(first: number, last: number): number[] {
  const count = Math.abs(last - first) + 1;
  if (count > MAX_RANGE) return [first, last];
  return Array.from({ length: count }, (_, at) => Math.min(first, last) + at);
}

const GROUP = new RegExp(`${BRACE}[^${BRACE}}]*}`, "g");

/**
 * Replaces the marks of braces that are not expanded. A range such as `{a..c}` is several words, which one word with
 * {@link STAR} represents.
 */
function withoutBraces(reader: ShellReader, text: string): string {
  const known = reader.guesses ? text : text.replace(GROUP, (group) => (group.includes("..") ? STAR : group));
  return known.replaceAll(BRACE, "{").replaceAll(CHOICE, ",");
}
