// Reads quotes, `$…`, backticks and arithmetic. Commands inside of them are read like other commands. Predictable
// output of a command becomes part of the word.

import { readAnsi } from "./ansi.ts";
import { isArithmetic } from "./arithmetic-end.ts";
import { newPipeline } from "./command.ts";
import { GIVEN, UNKNOWN } from "./marks.ts";
import type { ShellReader } from "./reader.ts";
import { Scanner } from "./scanner.ts";
import { Word } from "./word.ts";

// The patterns match runs of literal characters, which costs a tenth of reading single characters.
const QUOTED = /[^"$\\`]+/y;
const UNQUOTED_BODY = /[^$\\`]+/y;
const SINGLE = /[^']+/y;
const BACKTICKED = /[^`\\]+/y;
const PARAMETER = /[^"$'\\`}]+/y;
const ARITHMETIC = /[^$()\\`]+/y;
const BRACKETED = /[^"$'[\]\\`]+/y;
const NAME = /[A-Za-z_]\w*/y;

const WORK_PER_PIECE = 600;

/** Reads `'…'` after its opening quote. */
export function readSingle(reader: ShellReader, scanner: Scanner, word: Word): void {
  word.addQuotes();
  const text = scanner.take(SINGLE);
  reader.spend(text.length);
  word.add(text);
  if (scanner.peek() === undefined) reader.doubt("a single quote is not closed");
  scanner.at += 1;
}

/** Reads `"…"` after its opening quote. */
export function readDouble(reader: ShellReader, scanner: Scanner, word: Word): void {
  word.addQuotes();
  for (;;) {
    word.add(scanner.take(QUOTED));
    const char = scanner.peek();
    scanner.at += 1;
    if (char === '"') return;
    if (char === undefined) {
      reader.doubt("a double quote is not closed");
      return;
    }
    readQuoted(reader, scanner, word, char);
  }
}

/** Reads one character of a text in which only `$`, a backtick and a backslash are special. */
function readQuoted(reader: ShellReader, scanner: Scanner, word: Word, char: string): void {
  reader.spend(WORK_PER_PIECE);
  if (char === "$") readDollar(reader, scanner, word, true);
  else if (char === "`") readBackticks(reader, scanner, word, true);
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

/** Reads the body of a here-document whose expansions are made. */
export function readBody(reader: ShellReader, body: string): void {
  const scanner = new Scanner(body);
  const ignored = new Word(reader, []);
  for (;;) {
    scanner.take(UNQUOTED_BODY);
    const char = scanner.peek();
    if (char === undefined) return;
    scanner.at += 1;
    readQuoted(reader, scanner, ignored, char);
  }
}

/** Reads the expansion after a `$`. */
export function readDollar(reader: ShellReader, scanner: Scanner, word: Word, quoted: boolean): void {
  const char = scanner.peek();
  if (char === "(") {
    scanner.at += 1;
    if (isArithmetic(reader, scanner)) {
      readArithmetic(reader, scanner);
      word.plain = false;
      word.add(UNKNOWN);
    } else word.addValue(readSubstitution(reader, scanner), quoted);
    return;
  }
  if (char === "{") {
    scanner.at += 1;
    if (/[\s|]/.test(scanner.peek() ?? "")) readFunctionSubstitution(reader, scanner, word);
    else readParameter(reader, scanner, word, quoted);
    return;
  }
  if (char === "[") {
    scanner.at += 1;
    readArithmetic(reader, scanner, "[");
    word.plain = false;
    word.add(UNKNOWN);
    return;
  }
  if (char === "'" && !quoted) {
    scanner.at += 1;
    word.addQuotes();
    reader.spend(WORK_PER_PIECE);
    const value = readAnsi(scanner);
    if (value === undefined) reader.doubt("a single quote is not closed");
    else word.add(value);
    return;
  }
  const name = scanner.take(NAME);
  if (name !== "") {
    addVariable(reader, word, name, quoted);
    return;
  }
  if (char !== undefined && isSpecialParameter(char)) {
    scanner.at += 1;
    addVariable(reader, word, char, quoted);
    return;
  }
  if (char !== '"' || quoted) word.add("$");
}

function isSpecialParameter(char: string | undefined): boolean {
  return char !== undefined && "0123456789@*#?$!-".includes(char);
}

/** Reads the commands of a `(…)` after `$`, `<` or `>`. Returns their output. */
export function readSubstitution(reader: ShellReader, scanner: Scanner): string {
  const announced = scanner.announced.length;
  reader.spend(WORK_PER_PIECE);
  reader.substitutions += 1;
  const value = reader.substitute(scanner);
  reader.substitutions -= 1;
  // Versions of Bash find the body of this here-document in different places.
  if (scanner.announced.length > announced) reader.doubt("a substitution ends before its here-document");
  if (scanner.peek() === ")") scanner.at += 1;
  else reader.doubt("a command substitution is not closed");
  return value;
}

/** Reads `${ commands; }` after its opening brace. */
function readFunctionSubstitution(reader: ShellReader, scanner: Scanner, word: Word): void {
  if (scanner.peek() === "|") scanner.at += 1;
  reader.readList(scanner, "}", newPipeline());
  if (!scanner.closed) reader.doubt("a command substitution is not closed");
  scanner.closed = false;
  word.addQuotes();
  word.add(UNKNOWN);
}

/** Reads the rest of a substitution in backticks. A backslash escapes one more level inside of it. */
export function readBackticks(reader: ShellReader, scanner: Scanner, word: Word, quoted: boolean): void {
  let inner = "";
  for (;;) {
    reader.spend(WORK_PER_PIECE);
    inner += scanner.take(BACKTICKED);
    const char = scanner.peek();
    scanner.at += 1;
    if (char === "`") break;
    if (char === undefined) {
      reader.doubt("a backtick is not closed");
      reader.substitute(new Scanner(inner));
      return;
    }
    const next = scanner.peek();
    const hides = next === "`" || next === "\\" || next === "$" || (quoted && next === '"');
    if (hides) scanner.at += 1;
    inner += hides ? next : "\\";
  }
  const commands = new Scanner(inner);
  word.addValue(reader.substitute(commands), quoted);
  if (commands.peek() !== undefined) reader.doubt("a closing parenthesis without an opening one");
}

/** Reads `${…}` after its opening brace. */
function readParameter(reader: ShellReader, scanner: Scanner, word: Word, quoted: boolean): void {
  reader.spend(2 * WORK_PER_PIECE);
  word.plain = false;
  const indirect = scanner.sees("!") || (scanner.sees("#") && !scanner.sees("#}"));
  if (scanner.sees("!")) reader.evaluates = true;
  if (indirect) scanner.at += 1;
  const name = scanner.take(NAME);
  if (name === "" && isSpecialParameter(scanner.peek())) scanner.at += 1;
  if (scanner.sees("[@]") || scanner.sees("[*]")) scanner.at += 3;
  const mustBeGiven = scanner.sees(":?");
  const hasColon = scanner.sees(":");
  if (hasColon) scanner.at += 1;
  const operator = scanner.peek() ?? "";
  const takesWord = operator !== "" && "-=+?".includes(operator);
  // An index and an offset are arithmetic.
  if (operator === "[" || (hasColon && !takesWord)) reader.evaluates = true;
  if (operator === "@") {
    if (reader.guesses) reader.evaluates = true;
    else reader.doubt("a variable is expanded in a way that may run its value");
  }
  // Inside of double quotes, single quotes count as quotes only for operators that take a pattern.
  const operand = readOperand(reader, scanner, quoted && !"#%/^,".includes(operator), takesWord);
  reader.takeOperand(operand);
  const assigns = operator === "=" || (operator === "[" && !reader.guesses && /\]:?=/.test(operand));
  if (assigns && reader.valuesOf(name) === undefined) reader.assign(indirect ? UNKNOWN : name, [operand]);
  if (indirect || !reader.guesses) word.add(UNKNOWN);
  else if (mustBeGiven && reader.valuesOf(name) === undefined) word.add(GIVEN);
  else if (operator === "-" || operator === "=" || operator === "+") {
    // The default is the only known value.
    if (operator !== "+" && reader.valuesOf(name) !== undefined) addVariable(reader, word, name, quoted);
    else word.addValue(operand, quoted);
  } else if (operator === "}" || operator === "?" || operand === "%/") addVariable(reader, word, name, quoted);
  else word.add(UNKNOWN);
}

/** Reads to the closing brace and returns the text. If the operator takes no word, the text includes the operator. */
function readOperand(reader: ShellReader, scanner: Scanner, isQuoted: boolean, takesWord: boolean): string {
  reader.enter();
  if (takesWord) scanner.at += 1;
  const found: string[] = [];
  const operand = new Word(reader, found);
  for (;;) {
    const run = scanner.take(PARAMETER);
    if (run !== "") operand.add(run);
    const char = scanner.peek();
    scanner.at += 1;
    if (char === "}") break;
    if (char === undefined) {
      reader.doubt("a parameter expansion is not closed");
      break;
    }
    if (char === '"') readDouble(reader, scanner, operand);
    else if (char === "'" && !isQuoted) readSingle(reader, scanner, operand);
    else if (char === "$" && scanner.sees("'") && !isQuoted) readDollar(reader, scanner, operand, false);
    else if (char === "'" && /["}]/.test(scanner.textUpTo("'"))) {
      reader.readDifferently("shells disagree on these quotes", scanner.text.slice(scanner.at));
    } else if (char === "\\" && /["'}]/.test(scanner.peek() ?? "")) {
      operand.add(scanner.peek() ?? "");
      scanner.at += 1;
    } else readQuoted(reader, scanner, operand, char);
  }
  operand.finish();
  reader.leave();
  return found[0] ?? "";
}

function addVariable(reader: ShellReader, word: Word, name: string, quoted: boolean): void {
  word.plain = false;
  reader.spend(WORK_PER_PIECE);
  const values = reader.valuesOf(name);
  if (values === undefined) {
    word.add(UNKNOWN);
    return;
  }
  // All values of a list are added, as if the text ran once for all of them.
  for (const [index, value] of values.entries()) {
    if (index > 0) word.split();
    reader.spend(WORK_PER_PIECE);
    word.addValue(value, quoted);
  }
}

/** Reads to the end of `((…))` or `[…]` after its first opening sign. Only expansions can run commands. */
export function readArithmetic(reader: ShellReader, scanner: Scanner, opening: "(" | "[" = "("): void {
  reader.enter();
  const quotes: string[] = [];
  const ignored = new Word(reader, quotes);
  const closing = opening === "(" ? ")" : "]";
  let open = 1;
  while (open > 0) {
    reader.spend(WORK_PER_PIECE);
    const run = scanner.take(opening === "(" ? ARITHMETIC : BRACKETED);
    const char = scanner.peek();
    scanner.at += 1;
    reader.evaluates ||= char === "$" || /[A-Za-z_]/.test(run);
    if (char === undefined) {
      reader.doubt("arithmetic is not closed");
      break;
    }
    if (char === opening) open += 1;
    else if (char === closing) open -= 1;
    else if (char === "\\") {
      const hidden = scanner.peek() ?? "";
      if (hidden === "$" || hidden === "`") reader.doubt("arithmetic that evaluates text again");
      scanner.at += 1;
    } else if (char === "$") readDollar(reader, scanner, ignored, true);
    else if (char === "'") readSingle(reader, scanner, ignored);
    else if (char === '"') readDouble(reader, scanner, ignored);
    else readBackticks(reader, scanner, ignored, true);
  }
  ignored.finish();
  for (const text of quotes) if (/[$`]/.test(text)) reader.evaluateText(text);
  reader.leave();
}
