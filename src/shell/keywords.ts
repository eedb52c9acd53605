// Reads the words between a keyword and the commands of its construct.

import { isArithmetic } from "./arithmetic-end.ts";
import { evaluatesAsName } from "./assignments.ts";
import type { Pipeline } from "./command.ts";
import { readArithmetic } from "./expansions.ts";
import { skipLines } from "./lines.ts";
import type { ShellReader } from "./reader.ts";
import type { Scanner } from "./scanner.ts";
import { endsWord, readOne, readWord } from "./words.ts";

/** Reads `for name in words`. The body follows as ordinary commands, which are read as if for all the words at once. */
export function readFor(reader: ShellReader, scanner: Scanner): void {
  scanner.skipBlanks();
  if (scanner.peek() === "(") {
    scanner.at += 1;
    if (isArithmetic(reader, scanner)) readArithmetic(reader, scanner);
    return;
  }
  const name = readOne(reader, scanner) ?? "";
  skipLines(reader, scanner);
  const start = scanner.at;
  if (readOne(reader, scanner) !== "in") {
    scanner.at = start;
    return;
  }
  const list: string[] = [];
  scanner.skipBlanks();
  while (!endsWord(scanner.peek())) {
    readWord(reader, scanner, list);
    scanner.skipBlanks();
  }
  reader.assign(name, list);
}

export function readCase(reader: ShellReader, scanner: Scanner, pipeline: Pipeline): void {
  readOne(reader, scanner);
  skipLines(reader, scanner);
  readOne(reader, scanner);
  while (!scanner.closed && skipPattern(reader, scanner)) {
    reader.readList(scanner, "esac", pipeline);
    while (scanner.peek() === ";" || scanner.peek() === "&") scanner.at += 1;
    // A parenthesis here closes a construct around the `case`, so the `case` was not finished.
    if (scanner.peek() === ")") break;
  }
  scanner.closed = false;
}

/** Skips `pattern)`. Returns `false` at the `esac`, or if there is neither. */
function skipPattern(reader: ShellReader, scanner: Scanner): boolean {
  const words: string[] = [];
  skipLines(reader, scanner);
  if (scanner.peek() === "(") scanner.at += 1;
  for (;;) {
    skipLines(reader, scanner);
    const char = scanner.peek();
    if (char === undefined) {
      reader.doubt("a case is not closed");
      return false;
    }
    if (char === ")") {
      scanner.at += 1;
      return true;
    }
    if (endsWord(char)) scanner.at += 1;
    else if (readWord(reader, scanner, words) && words.length === 1 && words[0] === "esac") return false;
  }
}

const COMPARES_NUMBERS: ReadonlySet<string> = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v"]);

/** Skips `… ]]`, in which parentheses, `<` and `|` are not operators of the shell. */
export function skipTest(reader: ShellReader, scanner: Scanner): void {
  const words: string[] = [];
  for (;;) {
    skipLines(reader, scanner);
    const char = scanner.peek();
    if (char === undefined) {
      reader.doubt("a test is not closed");
      return;
    }
    if (endsWord(char)) scanner.at += 1;
    else if (readWord(reader, scanner, words) && words.at(-1) === "]]") break;
  }
  if (words.some((word) => COMPARES_NUMBERS.has(word))) reader.evaluates = true;
  if (!reader.evaluates) return;
  for (const word of words) if (evaluatesAsName(word)) reader.evaluateText(word);
}

const COMPOUND = /[A-Za-z_]\w*[ \t]+(?=[{(]|(?:if|while|until|for|case|select)[ \t\n]|\[\[[ \t])/y;

/** Skips the name of a coprocess that is a compound command. */
export function skipCoprocessName(scanner: Scanner): void {
  scanner.skipBlanks();
  scanner.take(COMPOUND);
}

const TIME_OPTIONS = /(?:[ \t]+-p(?=[ \t\n]))?(?:[ \t]+--(?=[ \t\n]))?/y;

/** Skips `-p` and `--`. Returns `false` before other options, with which `time` is a program and not a keyword. */
export function skipTimeOptions(scanner: Scanner): boolean {
  scanner.take(TIME_OPTIONS);
  return !/[ \t]+-/y.test(scanner.text.slice(scanner.at, scanner.at + 8));
}
