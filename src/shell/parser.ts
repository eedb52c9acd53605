// Reads a shell text command by command. The parser is more tolerant than a shell, because it must find every command
// that may run and need not reject invalid text. If the meaning of a text is uncertain, the parser records a doubt.

import { isArithmetic } from "./arithmetic-end.ts";
import { arrayName, isAssignment } from "./assignments.ts";
import { newCommand, newPipeline, type Pipeline } from "./command.ts";
import { readArithmetic } from "./expansions.ts";
import { readCase, readFor, skipCoprocessName, skipTest, skipTimeOptions } from "./keywords.ts";
import { skipComment, skipLines, WORK_PER_LINE } from "./lines.ts";
import { SET, UNKNOWN } from "./marks.ts";
import type { ShellReader, Until } from "./reader.ts";
import { atRedirection, isDescriptor, readRedirection } from "./redirections.ts";
import type { Scanner } from "./scanner.ts";
import { endsWord, readOne, readWord } from "./words.ts";

/**
 * Matches plain words separated by single spaces, up to an operator or blank. Most commands consist only of plain
 * words, and matching all of them costs less than reading one word.
 */
const PLAIN_WORDS =
  /[^#\t\n\r "$&'()*;<>?[\\`{|}~][^\t\n\r "$&'()*;<>?[\\`{|}~]*(?: [^#\t\n\r "$&'()*;<>?[\\`{|}~][^\t\n\r "$&'()*;<>?[\\`{|}~]*)*(?=[\t\n\r ;&|)]|$)/y;

const NO_PLACES: number[] = [];
const WORK_PER_COMMAND = 1_650;
const WORK_PER_WORD = 150;
const WORK_PER_CHARACTER = 8;

const KEYWORDS: ReadonlySet<string> = new Set([
  // The commands around these keywords are read as if the keyword were absent.
  ...["if", "then", "elif", "else", "fi", "while", "until", "do", "done", "!"],
  // These keywords have their own syntax. A word keeps the marks of `[[`.
  ...["{", "}", "for", "select", "case", "esac", "function", "coproc", "time", SET + SET],
]);

/**
 * Reads commands to the end of the text or of the group. Leaves a closing parenthesis or `;;` to the caller, but takes
 * a closing keyword and sets `closed`. `from` is the pipeline that contains the group.
 */
export function readList(reader: ShellReader, scanner: Scanner, until: Until, from: Pipeline): void {
  for (;;) {
    skipLines(reader, scanner);
    const char = scanner.peek();
    if (char === undefined) return;
    if (char === "&" && scanner.sees("&&")) {
      reader.spend(WORK_PER_LINE);
      scanner.at += 2;
      continue;
    }
    if (char === ")") {
      if (until !== "end") return;
      reader.spend(WORK_PER_LINE);
      reader.doubt("a closing parenthesis without an opening one");
      scanner.at += 1;
      continue;
    }
    if (char === ";" && until === "esac" && (scanner.sees(";;") || scanner.sees(";&"))) return;
    if (endsCommand(char) && !atRedirection(scanner, char)) {
      reader.spend(WORK_PER_LINE);
      scanner.at += 1;
    } else readPipeline(reader, scanner, until, from);
    if (scanner.closed) return;
  }
}

function readPipeline(reader: ShellReader, scanner: Scanner, until: Until, from: Pipeline): void {
  const pipeline = newPipeline(from);
  const start = scanner.at;
  for (;;) {
    const { downloads } = reader;
    readCommand(reader, scanner, until, pipeline);
    if (scanner.closed) return;
    if (reader.downloads !== downloads) pipeline.fetched = true;
    if (scanner.peek() !== "|" || scanner.sees("||")) break;
    scanner.at += scanner.sees("|&") ? 2 : 1;
    pipeline.piped = true;
    skipLines(reader, scanner);
  }
  reader.endPipeline(pipeline, scanner, start);
}

function readCommand(reader: ShellReader, scanner: Scanner, until: Until, pipeline: Pipeline): void {
  reader.spend(WORK_PER_COMMAND);
  const { keepsPlaces } = reader;
  const command = newCommand([], scanner.text, scanner.at, keepsPlaces ? [] : NO_PLACES);
  let { words } = command;
  let mayAssign = true;
  for (;;) {
    scanner.skipBlanks();
    if (words.length === 0 && command.redirections === undefined) command.start = scanner.at;
    const char = scanner.peek();
    if (endsCommand(char) && !(char === "&" && scanner.sees("&>"))) break;
    const run = keepsPlaces ? "" : scanner.take(PLAIN_WORDS);
    if (run !== "") {
      const parts = run.split(" ");
      reader.spend(parts.length * WORK_PER_WORD + run.length * WORK_PER_CHARACTER);
      mayAssign &&= parts.length === 1 && run.includes("=");
      if (words.length > 0) {
        words.push(...parts);
        continue;
      }
      const first = parts[0] ?? "";
      if (!KEYWORDS.has(first)) {
        words = command.words = parts;
        continue;
      }
      scanner.at -= run.length - first.length;
      if (readKeyword(reader, scanner, first, until, pipeline)) mayAssign = true;
      else words.push(first);
      if (scanner.closed) return;
    } else if (atRedirection(scanner, char)) readRedirection(reader, scanner, command, "");
    else if (char === "#") {
      skipComment(scanner);
      continue;
    } else if (char === "(") {
      if (words.length === 1 && readFunction(reader, scanner, words[0] ?? "", until)) return;
      readParentheses(reader, scanner, pipeline);
    } else if (char === "!" && words.length === 0 && scanner.sees("!(")) {
      // With the option `extglob` this text is a pattern, which is rarely the name of a command.
      if (!reader.guesses) reader.doubt("a pattern that may be a group of commands");
      scanner.at += 1;
    } else {
      const before = words.length;
      const start = scanner.at;
      const plain = readWord(reader, scanner, words, mayAssign);
      if (keepsPlaces) for (let at = before; at < words.length; at++) command.places.push(start, scanner.at);
      mayAssign &&= words.length === before + 1 && isAssignment(words[before] ?? "");
      if (words.length !== before + 1) continue;
      const word = words[before] ?? "";
      const array = scanner.peek() === "(" ? arrayName(word) : undefined;
      if (array !== undefined) {
        readArray(reader, scanner, array);
        if (keepsPlaces) {
          words[before] = word + UNKNOWN;
          command.places[command.places.length - 1] = scanner.at;
        } else words.pop();
        mayAssign = true;
      } else if (plain && isDescriptor(scanner, word)) {
        words.pop();
        command.places.length -= keepsPlaces ? 2 : 0;
        readRedirection(reader, scanner, command, word);
        mayAssign = before === 0;
      } else if (plain && before === 0 && KEYWORDS.has(word)) {
        if (readKeyword(reader, scanner, word, until, pipeline)) {
          words.pop();
          command.places.length = 0;
          mayAssign = true;
        }
        if (scanner.closed) return;
      }
    }
    command.end = scanner.at;
  }
  command.mustWork = scanner.sees("&&");
  reader.take(command, pipeline);
  if (reader.defining !== undefined && words[0] === reader.defining) pipeline.selfCalls += 1;
}

function endsCommand(char: string | undefined): boolean {
  return char === undefined || char === "\n" || char === ";" || char === "&" || char === "|" || char === ")";
}

/** Reads the list of `NAME=(…)`. */
function readArray(reader: ShellReader, scanner: Scanner, name: string): void {
  const list: string[] = [];
  reader.spend(WORK_PER_COMMAND);
  scanner.at += 1;
  for (;;) {
    skipLines(reader, scanner);
    const char = scanner.peek();
    if (char === undefined) reader.doubt("an array is not closed");
    else if (char !== ")" && !endsWord(char)) readWord(reader, scanner, list);
    else scanner.at += 1;
    if (char === undefined || char === ")") break;
  }
  reader.assign(name, list);
}

// Groups, functions and keywords

/** Reads `( … )` or `(( … ))`. The scanner is at the first parenthesis. */
function readParentheses(reader: ShellReader, scanner: Scanner, pipeline: Pipeline): void {
  scanner.at += 1;
  if (isArithmetic(reader, scanner)) {
    readArithmetic(reader, scanner);
    return;
  }
  reader.readSubshell(scanner, ")", pipeline);
  if (scanner.peek() === ")") scanner.at += 1;
  else reader.doubt("a parenthesis is not closed");
}

/** Reads `name() …` after the name. Returns `false` if the parentheses do not define a function. */
function readFunction(reader: ShellReader, scanner: Scanner, name: string, until: Until): boolean {
  const start = scanner.at;
  scanner.at += 1;
  scanner.skipBlanks();
  if (scanner.peek() !== ")") {
    scanner.at = start;
    return false;
  }
  scanner.at += 1;
  readFunctionBody(reader, scanner, name, until);
  return true;
}

function readFunctionBody(reader: ShellReader, scanner: Scanner, name: string, until: Until): void {
  reader.enter();
  const outer = reader.defining;
  reader.defining = name;
  skipLines(reader, scanner);
  readCommand(reader, scanner, until, newPipeline());
  reader.defining = outer;
  reader.leave();
}

/** Reads the rest of a keyword. Returns `false` if the word is the name of a program. */
function readKeyword(reader: ShellReader, scanner: Scanner, word: string, until: Until, pipeline: Pipeline): boolean {
  switch (word) {
    case "if":
    case "while":
    case "until":
      reader.unfinished += 1;
      break;
    case "fi":
    case "done":
      reader.unfinished -= 1;
      break;
    case "{":
      reader.readList(scanner, "}", pipeline);
      if (!scanner.closed) reader.doubt("a group is not closed");
      scanner.closed = false;
      break;
    case "}":
    case "esac":
      scanner.closed = until === word;
      break;
    case "for":
    case "select":
      reader.unfinished += 1;
      readFor(reader, scanner);
      break;
    case "case":
      readCase(reader, scanner, pipeline);
      break;
    case "coproc":
      skipCoprocessName(scanner);
      break;
    case "time":
      return skipTimeOptions(scanner);
    case "function": {
      const name = readOne(reader, scanner) ?? "";
      scanner.skipBlanks();
      if (scanner.peek() !== "(" || !readFunction(reader, scanner, name, until)) {
        readFunctionBody(reader, scanner, name, until);
      }
      break;
    }
    case SET + SET:
      skipTest(reader, scanner);
  }
  return true;
}
