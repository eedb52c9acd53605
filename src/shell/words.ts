// Reads one word of shell text: quotes, expansions, globs, braces.

import { readArithmetic, readBackticks, readDollar, readDouble, readSingle } from "./expansions.ts";
import { ANY, HERE, HOME, SET, STAR, UNKNOWN } from "./marks.ts";
import type { ShellReader } from "./reader.ts";
import type { Scanner } from "./scanner.ts";
import { Word } from "./word.ts";

/** Matches literal characters, which are most of a command. */
const PLAIN = /[^\t\n\r "$&'()*,;<>?[\\`{|}~]+/y;
const INDEXED = /[A-Za-z_]\w*\[/y;
const USER = /[\w.-]*/y;

const WORK_PER_PIECE = 600;

const ENDS_WORD: ReadonlySet<string | undefined> = new Set([undefined, ..."\n;&|()<> \t\r"]);

export function endsWord(char: string | undefined): boolean {
  return ENDS_WORD.has(char);
}

/**
 * Reads one word into `out`, which becomes no word, one word or several. Returns `true` for a plain word. If an
 * assignment is allowed here, the index of an array belongs to the word, including blanks.
 */
export function readWord(reader: ShellReader, scanner: Scanner, out: string[], mayAssign = false): boolean {
  const word = new Word(reader, out);
  if (mayAssign) readIndex(reader, scanner, word);
  for (;;) {
    reader.spend(WORK_PER_PIECE);
    const run = scanner.take(PLAIN);
    if (run !== "") word.add(run);
    const char = scanner.peek();
    if (char === undefined || endsWord(char)) {
      if (char !== "(" || !followsExtglob(scanner, word)) break;
      skipExtglob(reader, scanner, word);
      continue;
    }
    scanner.at += 1;
    readSpecial(reader, scanner, word, char);
  }
  word.finish();
  return word.plain;
}

function readIndex(reader: ShellReader, scanner: Scanner, word: Word): void {
  const name = scanner.take(INDEXED);
  if (name === "") return;
  word.add(name.slice(0, -1) + SET);
  const start = scanner.at;
  readArithmetic(reader, scanner, "[");
  word.add(`${scanner.text.slice(start, scanner.at).replaceAll("]", "")}]`);
}

/** Returns the first of the words here, or `undefined`. */
export function readOne(reader: ShellReader, scanner: Scanner): string | undefined {
  const words: string[] = [];
  scanner.skipBlanks();
  readWord(reader, scanner, words);
  return words[0];
}

function readSpecial(reader: ShellReader, scanner: Scanner, word: Word, char: string): void {
  switch (char) {
    case "'":
      readSingle(reader, scanner, word);
      break;
    case '"':
      readDouble(reader, scanner, word);
      break;
    case "\\":
      readEscaped(scanner, word);
      break;
    case "$":
      readDollar(reader, scanner, word, false);
      break;
    case "`":
      readBackticks(reader, scanner, word, false);
      break;
    case "~":
      readTilde(reader, scanner, word);
      break;
    case "*":
      word.addWildcard(STAR);
      break;
    case "?":
      word.addWildcard(ANY);
      break;
    case "[":
      word.addWildcard(SET);
      break;
    case "{":
    case ",":
    case "}":
      word.addBrace(char);
      break;
    default:
      word.add(char);
  }
}

function readEscaped(scanner: Scanner, word: Word): void {
  const char = scanner.peek();
  if (char === "\n") {
    scanner.at += 1;
    return;
  }
  word.addQuotes();
  if (char !== undefined) scanner.at += 1;
  word.add(char ?? "\\");
}

/** Whether `(` continues a pattern such as `!(…)` or `@(…)`, and does not open a group of commands. */
function followsExtglob(scanner: Scanner, word: Word): boolean {
  return word.begun && "!@+?*".includes(scanner.text[scanner.at - 1] ?? " ");
}

function skipExtglob(reader: ShellReader, scanner: Scanner, word: Word): void {
  const ignored = new Word(reader, []);
  let open = 0;
  do {
    const char = scanner.peek();
    if (char === undefined) {
      reader.doubt("a pattern is not closed");
      break;
    }
    reader.spend(WORK_PER_PIECE);
    scanner.at += 1;
    // Without the option `extglob`, this text would be the start of a function.
    if (char === "(" && scanner.peek() === ")") reader.doubt("a pattern that may be a function");
    if (char === "(") open += 1;
    else if (char === ")") open -= 1;
    else readSpecial(reader, scanner, ignored, char);
  } while (open > 0);
  ignored.finish();
  word.replaceLast();
}

/** Reads the rest of a word that begins with an unquoted `~`. */
function readTilde(reader: ShellReader, scanner: Scanner, word: Word): void {
  const { text, at } = scanner;
  if (word.begun && !"=:".includes(text[at - 2] ?? " ")) {
    word.add("~");
    return;
  }
  const next = text[at];
  if (next === "/" || next === ":" || endsWord(next)) {
    word.add(HOME);
    return;
  }
  if (next === "+" || next === "-") {
    scanner.at += 1;
    word.add(next === "+" ? HERE : UNKNOWN);
    return;
  }
  // The usual path of another user's home is used, because the path checks know it.
  const user = scanner.take(USER);
  word.plain = false;
  if (!reader.guesses) word.add(`~${user}`);
  else word.add(user === "root" ? "/root" : `/home/${user}`);
}
