// Names of programs that are known in part: `/bin/r?`, `r*m`, `@(rm)`.

import { ANY, SET, STAR, UNKNOWN } from "../../../src/shell/marks.ts";
import { programName } from "../../../src/shell/programs.ts";
import type { Shell } from "../shell.ts";

const WILDCARD = new RegExp(`[${STAR}${ANY}${SET}]`);
const SIGN = new RegExp(`${SET}(?:[!^]?\\]?[^\\]${SET}]+\\])?|[^\\w]`, "g");
/** More matches are an accident, because such a name is too vague. */
const MAX_MATCHES = 24;
const WORK = 12_000;
/** Programs that are denied whatever their arguments are. */
const ENDS_WORK = /^(?:shutdown|reboot|halt|poweroff|init|telinit|kexec)$/;
const LETTERS_TO_END = 3;

/** Whether a word is a path with wildcards, which may be the name of a program. */
export function isNamePattern(word: string): boolean {
  return word[0] === "/" && WILDCARD.test(word);
}

/**
 * Returns the programs that a pattern may mean, of a sorted list with one program a line. Returns none for a name without
 * wildcards, and for the word `[`.
 */
export function namesFor(shell: Shell, word: string, programs: string): readonly string[] {
  if (!WILDCARD.test(word) || word === SET || word.includes(UNKNOWN)) return [];
  const pattern = programName(word);
  const letters = pattern.replace(SIGN, "").length;
  shell.spend(WORK);
  // Nearly any program fits. Only the usual tool for removing files is a reason to look at the arguments.
  const isVague = letters === 0 || (letters === 1 && !word.includes("/"));
  const known = isVague ? "rm" : startingLike(pattern, programs);
  const found = known.match(new RegExp(`^${pattern.replace(SIGN, asExpression)}$`, "gm")) ?? [];
  if (found.length > MAX_MATCHES) return [];
  return [...new Set(found)].filter((name) => letters >= LETTERS_TO_END || !ENDS_WORK.test(name));
}

/** Returns the lines with the first letter of a pattern, because searching all lines costs ten times as much. */
function startingLike(pattern: string, programs: string): string {
  const letter = pattern.charAt(0);
  if (WILDCARD.test(letter)) return programs;
  const lines = `\n${programs}\n`;
  const start = lines.indexOf(`\n${letter}`);
  return start < 0 ? "" : lines.slice(start + 1, lines.indexOf("\n", lines.lastIndexOf(`\n${letter}`) + 1));
}

function asExpression(sign: string): string {
  if (sign === STAR) return "[^\\n]*";
  if (sign === ANY || sign === SET) return "[^\\n]";
  if (sign[0] === SET) return /^.[!^]?\w+\]$/.test(sign) ? `[${sign.slice(1).replace("!", "^")}` : "[^\\n]";
  return `\\${sign}`;
}
