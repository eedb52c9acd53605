// One word of shell text: quotes, `$…`, backticks, globs. Commands inside are judged like any other; what they may give
// becomes part of the word.

import { ANY, FETCHED, GIVEN, HERE, HOME, isMark, SET, STAR, UNKNOWN } from "./marks.ts";
import { Scanner } from "./scanner.ts";
import type { Shell } from "./shell.ts";
import { Word } from "./word.ts";

// Runs of characters that stand for nothing but themselves. Nearly all of a command is such runs, and a pattern takes
// them at a tenth of what reading them one by one costs.
const PLAIN = /[^\t\n\r "$&'()*,;<>?[\\`{|}~]+/y;
const QUOTED = /[^"$\\`]+/y;
const SINGLE = /[^']+/y;
const ANSI = /[^'\\]+/y;
const BACKTICKED = /[^`\\]+/y;
const PARAMETER = /[^"$'\\`}]+/y;
const ARITHMETIC = /[^$()\\`]+/y;
const NAME = /[A-Za-z_]\w*/y;
const USER = /[\w.-]*/y;

const WORK_PER_PIECE = 600;
const WORK_PER_PARENTHESIS = 200;

const ENDS_WORD: ReadonlySet<string | undefined> = new Set([undefined, ..."\n;&|()<> \t\r"]);

export function endsWord(char: string | undefined): boolean {
  return ENDS_WORD.has(char);
}

/** Reads one word into `out`, as no word, one, or several; true when it was plain. */
export function readWord(shell: Shell, scanner: Scanner, out: string[]): boolean {
  const word = new Word(shell, out);
  for (;;) {
    shell.spend(WORK_PER_PIECE);
    const run = scanner.take(PLAIN);
    if (run !== "") word.add(run);
    const char = scanner.peek();
    if (char === undefined || endsWord(char)) {
      if (char !== "(" || !followsExtglob(scanner, word)) break;
      skipExtglob(shell, scanner, word);
      continue;
    }
    scanner.at += 1;
    readSpecial(shell, scanner, word, char);
  }
  word.finish();
  return word.plain;
}

/** The first of the words that stand here, or nothing. */
export function readOne(shell: Shell, scanner: Scanner): string | undefined {
  const words: string[] = [];
  scanner.skipBlanks();
  readWord(shell, scanner, words);
  return words[0];
}

function readSpecial(shell: Shell, scanner: Scanner, word: Word, char: string): void {
  switch (char) {
    case "'":
      readSingle(shell, scanner, word);
      break;
    case '"':
      readDouble(shell, scanner, word);
      break;
    case "\\":
      readEscaped(scanner, word);
      break;
    case "$":
      readDollar(shell, scanner, word, false);
      break;
    case "`":
      readBackticks(shell, scanner, word, false);
      break;
    case "~":
      readTilde(scanner, word);
      break;
    case "*":
      word.add(STAR);
      break;
    case "?":
      word.add(ANY);
      break;
    case "[":
      word.add(SET);
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

/** `!(…)`, `@(…)` and their kin are one pattern, not a group of commands. */
function followsExtglob(scanner: Scanner, word: Word): boolean {
  return word.begun && "!@+?*".includes(scanner.text[scanner.at - 1] ?? " ");
}

function skipExtglob(shell: Shell, scanner: Scanner, word: Word): void {
  const ignored = new Word(shell, []);
  let open = 0;
  do {
    const char = scanner.peek();
    if (char === undefined) {
      shell.doubt("a pattern is not closed");
      break;
    }
    shell.spend(WORK_PER_PIECE);
    scanner.at += 1;
    if (char === "(") open += 1;
    else if (char === ")") open -= 1;
    else readSpecial(shell, scanner, ignored, char);
  } while (open > 0);
  ignored.finish();
  word.add(STAR);
}

/** Reads what follows an unquoted `~`. */
function readTilde(scanner: Scanner, word: Word): void {
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
  // Somebody else's home. Its usual place is as good as its name: paths know that place.
  const user = scanner.take(USER);
  word.plain = false;
  word.add(user === "root" ? "/root" : `/home/${user}`);
}

/** Reads `'…'`; the opening quote has been taken. */
function readSingle(shell: Shell, scanner: Scanner, word: Word): void {
  word.addQuotes();
  const text = scanner.take(SINGLE);
  shell.spend(text.length);
  word.add(text);
  if (scanner.peek() === undefined) shell.doubt("a single quote is not closed");
  scanner.at += 1;
}

/** Reads `"…"`; the opening quote has been taken. */
export function readDouble(shell: Shell, scanner: Scanner, word: Word): void {
  word.addQuotes();
  for (;;) {
    word.add(scanner.take(QUOTED));
    const char = scanner.peek();
    scanner.at += 1;
    if (char === '"') return;
    if (char === undefined) {
      shell.doubt("a double quote is not closed");
      return;
    }
    readQuoted(shell, scanner, word, char);
  }
}

/** One character of text in which only `$`, a backtick and a backslash are special: double quotes, here-documents. */
function readQuoted(shell: Shell, scanner: Scanner, word: Word, char: string): void {
  shell.spend(WORK_PER_PIECE);
  if (char === "$") readDollar(shell, scanner, word, true);
  else if (char === "`") readBackticks(shell, scanner, word, true);
  else if (char === "\\") readQuotedEscape(scanner, word);
  else word.add(char);
}

function readQuotedEscape(scanner: Scanner, word: Word): void {
  const char = scanner.peek();
  if (char === undefined || !'\n$`"\\'.includes(char)) {
    word.add("\\");
    return;
  }
  scanner.at += 1;
  if (char !== "\n") word.add(char);
}

/** Reads the body of a here-document in which expansions are made. */
export function readBody(shell: Shell, body: string): void {
  const scanner = new Scanner(body);
  const ignored = new Word(shell, []);
  for (;;) {
    scanner.take(/[^$\\`]+/y);
    const char = scanner.peek();
    if (char === undefined) return;
    scanner.at += 1;
    readQuoted(shell, scanner, ignored, char);
  }
}

const ANSI_ESCAPE = /x[\da-fA-F]{0,2}|u[\da-fA-F]{0,4}|U[\da-fA-F]{0,8}|[0-7]{1,3}|[\s\S]/y;
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

/** Reads `$'…'`; the opening quote has been taken. */
function readAnsi(shell: Shell, scanner: Scanner, word: Word): void {
  word.addQuotes();
  for (;;) {
    shell.spend(WORK_PER_PIECE);
    word.add(scanner.take(ANSI));
    const char = scanner.peek();
    scanner.at += 1;
    if (char === "'") return;
    if (char === undefined) {
      shell.doubt("a single quote is not closed");
      return;
    }
    word.add(unescaped(scanner.take(ANSI_ESCAPE)));
  }
}

function unescaped(sequence: string): string {
  const first = sequence.charAt(0);
  const isOctal = first >= "0" && first <= "7";
  if (!isOctal && !"xuU".includes(first)) return CONTROLS[sequence] ?? sequence;
  const value = isOctal ? Number.parseInt(sequence, 8) : Number.parseInt(`0${sequence.slice(1)}`, 16);
  const char = String.fromCharCode(value);
  return value > 0xffff || isMark(char) ? "\ufffd" : char;
}

/** Reads what follows a `$`. */
function readDollar(shell: Shell, scanner: Scanner, word: Word, quoted: boolean): void {
  const char = scanner.peek();
  if (char === "(") {
    scanner.at += 1;
    if (isArithmetic(shell, scanner)) {
      readArithmetic(shell, scanner);
      word.plain = false;
      word.add(UNKNOWN);
      return;
    }
    const value = outputOf(shell, scanner);
    if (scanner.peek() === ")") scanner.at += 1;
    else shell.doubt("a command substitution is not closed");
    word.addValue(value, quoted);
    return;
  }
  if (char === "{") {
    scanner.at += 1;
    readParameter(shell, scanner, word, quoted);
    return;
  }
  if (char === "'" && !quoted) {
    scanner.at += 1;
    readAnsi(shell, scanner, word);
    return;
  }
  const name = scanner.take(NAME);
  if (name !== "") {
    addVariable(shell, word, name, quoted);
    return;
  }
  if (isSpecialParameter(char)) {
    scanner.at += 1;
    word.plain = false;
    word.add(UNKNOWN);
    return;
  }
  if (char !== '"' || quoted) word.add("$");
}

function isSpecialParameter(char: string | undefined): boolean {
  return char !== undefined && "0123456789@*#?$!-".includes(char);
}

/** Reads the rest of a substitution in backticks, in which a backslash hides one more level. */
function readBackticks(shell: Shell, scanner: Scanner, word: Word, quoted: boolean): void {
  let inner = "";
  for (;;) {
    shell.spend(WORK_PER_PIECE);
    inner += scanner.take(BACKTICKED);
    const char = scanner.peek();
    scanner.at += 1;
    if (char === "`") break;
    if (char === undefined) {
      shell.doubt("a backtick is not closed");
      outputOf(shell, new Scanner(inner));
      return;
    }
    const next = scanner.peek();
    const hides = next === "`" || next === "\\" || next === "$" || (quoted && next === '"');
    if (hides) scanner.at += 1;
    inner += hides ? next : "\\";
  }
  word.addValue(outputOf(shell, new Scanner(inner)), quoted);
}

/** Judges the commands of a substitution, up to `)` or the end, and gives what they print where that is plain to see. */
export function outputOf(shell: Shell, scanner: Scanner): string {
  const { commands, downloads } = shell;
  shell.readSubshell(scanner, ")");
  if (shell.downloads !== downloads) return FETCHED;
  return shell.commands === commands + 1 ? (shell.printed ?? UNKNOWN) : UNKNOWN;
}

/** Reads `${…}`; the opening brace has been taken. */
function readParameter(shell: Shell, scanner: Scanner, word: Word, quoted: boolean): void {
  shell.spend(2 * WORK_PER_PIECE);
  word.plain = false;
  const indirect = scanner.sees("!") || (scanner.sees("#") && !scanner.sees("#}"));
  if (indirect) scanner.at += 1;
  const name = scanner.take(NAME);
  if (name === "" && isSpecialParameter(scanner.peek())) scanner.at += 1;
  if (scanner.sees("[@]") || scanner.sees("[*]")) scanner.at += 3;
  const mustBeGiven = scanner.sees(":?");
  if (scanner.sees(":")) scanner.at += 1;
  const operator = scanner.peek();
  const operand = readOperand(shell, scanner, quoted);
  if (indirect) word.add(UNKNOWN);
  else if (mustBeGiven && !isKnown(shell, name)) word.add(GIVEN);
  else if (operator === "-" || operator === "=" || operator === "+") {
    // The default is the one value in sight.
    if (operator !== "+" && isKnown(shell, name)) addVariable(shell, word, name, quoted);
    else word.addValue(operand, quoted);
  } else if (operator === "}" || operator === "?" || operand === "%/") addVariable(shell, word, name, quoted);
  else word.add(UNKNOWN);
}

/** Reads to the closing brace and gives what follows the operator; a text with `%` is given with its operator. */
function readOperand(shell: Shell, scanner: Scanner, quoted: boolean): string {
  shell.enter();
  if ("-=+?".includes(scanner.peek() ?? " ")) scanner.at += 1;
  const found: string[] = [];
  const operand = new Word(shell, found);
  for (;;) {
    const run = scanner.take(PARAMETER);
    if (run !== "") operand.add(run);
    const char = scanner.peek();
    scanner.at += 1;
    if (char === "}") break;
    if (char === undefined) {
      shell.doubt("a parameter expansion is not closed");
      break;
    }
    if (char === '"') readDouble(shell, scanner, operand);
    else if (char === "'" && !quoted) readSingle(shell, scanner, operand);
    else readQuoted(shell, scanner, operand, char);
  }
  operand.finish();
  shell.leave();
  return found[0] ?? "";
}

function isKnown(shell: Shell, name: string): boolean {
  return name === "HOME" || name === "PWD" || name === "IFS" || shell.variables.has(name);
}

function addVariable(shell: Shell, word: Word, name: string, quoted: boolean): void {
  word.plain = false;
  shell.spend(WORK_PER_PIECE);
  // An assignment to HOME may not even run, so it never makes home a harmless place.
  if (name === "HOME") {
    word.add(HOME);
    return;
  }
  if (name === "PWD") {
    word.add(HERE);
    return;
  }
  if (name === "IFS" && !quoted) {
    word.split();
    return;
  }
  const values = shell.variables.get(name);
  if (values === undefined) {
    word.add(UNKNOWN);
    return;
  }
  // A list is judged as if the text ran for all of it at once.
  for (const [index, value] of values.entries()) {
    if (index > 0) word.split();
    shell.spend(WORK_PER_PIECE);
    word.addValue(value, quoted);
  }
}

/** Behind one `(`: does a second one follow, and do both close together? If not it is a group inside of a group. */
export function isArithmetic(shell: Shell, scanner: Scanner): boolean {
  const { text } = scanner;
  if (text[scanner.at] !== "(") return false;
  const signs = /\\[\s\S]|[()]/g;
  signs.lastIndex = scanner.at;
  let open = 0;
  for (let found = signs.exec(text); found !== null; found = signs.exec(text)) {
    shell.spend(WORK_PER_PARENTHESIS);
    if (found[0] === "(") open += 1;
    else if (found[0] === ")" && --open === 0) return text[signs.lastIndex] === ")";
  }
  shell.spend((text.length - scanner.at) * 5);
  return false;
}

/** Reads up to and with both closing parentheses; the first opening one has been taken. Only expansions can run. */
export function readArithmetic(shell: Shell, scanner: Scanner): void {
  shell.enter();
  const ignored = new Word(shell, []);
  let open = 1;
  while (open > 0) {
    shell.spend(WORK_PER_PIECE);
    scanner.take(ARITHMETIC);
    const char = scanner.peek();
    scanner.at += 1;
    if (char === undefined) {
      shell.doubt("arithmetic is not closed");
      break;
    }
    if (char === "(") open += 1;
    else if (char === ")") open -= 1;
    else if (char === "\\") scanner.at += 1;
    else if (char === "$") readDollar(shell, scanner, ignored, true);
    else readBackticks(shell, scanner, ignored, true);
  }
  ignored.finish();
  shell.leave();
}
