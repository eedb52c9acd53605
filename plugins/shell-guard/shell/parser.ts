// Walks a shell text command by command. It is more tolerant than a shell: it has to find every command that may run,
// not to refuse what would not. Only where it cannot be sure what the text says does a person have to look.

import { arrayName } from "./assignments.ts";
import { type Command, newCommand, newPipeline, type Pipeline, redirectionsOf } from "./command.ts";
import { SET } from "./marks.ts";
import type { Heredoc, Scanner } from "./scanner.ts";
import type { Shell, Until } from "./shell.ts";
import { endsWord, isArithmetic, outputOf, readArithmetic, readBody, readOne, readWord } from "./words.ts";

/**
 * Words with nothing special about them and one blank between them, up to an operator or a blank. Most commands are
 * nothing else, and to take them at once costs less than to read one word of them.
 */
const PLAIN_WORDS =
  /[^#\t\n\r "$&'()*;<>?[\\`{|}~][^\t\n\r "$&'()*;<>?[\\`{|}~]*(?: [^#\t\n\r "$&'()*;<>?[\\`{|}~][^\t\n\r "$&'()*;<>?[\\`{|}~]*)*(?=[\t\n\r ;&|)]|$)/y;

const WORK_PER_COMMAND = 1_200;
const WORK_PER_WORD = 150;
const WORK_PER_LINE = 220;

const KEYWORDS: ReadonlySet<string> = new Set([
  // After or before these a command stands just as it would without them.
  ...["if", "then", "elif", "else", "fi", "while", "until", "do", "done", "!", "coproc"],
  // These bind what follows. Of `[[` a word keeps the marks.
  ...["{", "}", "for", "select", "case", "esac", "function", SET + SET],
]);

/**
 * Reads commands to the end of the text or of the group. A parenthesis or `;;` that ends it is left for the caller; a
 * keyword is taken and shows as `closed`. `fetched` says that what the group reads comes from the network.
 */
export function readList(shell: Shell, scanner: Scanner, until: Until, fetched: boolean): void {
  for (;;) {
    skipLines(shell, scanner);
    const char = scanner.peek();
    if (char === undefined) return;
    if (char === "&" && scanner.sees("&&")) {
      shell.spend(WORK_PER_LINE);
      scanner.at += 2;
      continue;
    }
    if (char === ")") {
      if (until !== "end") return;
      shell.spend(WORK_PER_LINE);
      shell.doubt("a closing parenthesis without an opening one");
      scanner.at += 1;
      continue;
    }
    if (char === ";" && until === "esac" && (scanner.sees(";;") || scanner.sees(";&"))) return;
    if (endsCommand(char) && !atRedirection(scanner, char)) {
      shell.spend(WORK_PER_LINE);
      scanner.at += 1;
    } else readPipeline(shell, scanner, until, fetched);
    if (scanner.closed) return;
  }
}

/** Skips to the next word or operator; after each newline the here-documents of the line before are taken out. */
function skipLines(shell: Shell, scanner: Scanner): void {
  for (;;) {
    scanner.skipBlanks();
    const char = scanner.peek();
    if (char === "#") {
      shell.spend(WORK_PER_LINE);
      skipComment(scanner);
    } else if (char === "\n") {
      shell.spend(WORK_PER_LINE);
      scanner.at += 1;
      if (scanner.announced.length > 0) readBodies(shell, scanner);
    } else return;
  }
}

function skipComment(scanner: Scanner): void {
  const end = scanner.text.indexOf("\n", scanner.at);
  scanner.at = end < 0 ? scanner.text.length : end;
}

function readPipeline(shell: Shell, scanner: Scanner, until: Until, fetched: boolean): void {
  const pipeline = newPipeline(fetched);
  for (;;) {
    const { downloads } = shell;
    readCommand(shell, scanner, until, pipeline);
    if (scanner.closed) return;
    if (shell.downloads !== downloads) pipeline.fetched = true;
    if (scanner.peek() !== "|" || scanner.sees("||")) break;
    scanner.at += scanner.sees("|&") ? 2 : 1;
    skipLines(shell, scanner);
  }
  if (pipeline.selfCalls === 0) return;
  const inBackground = scanner.peek() === "&" && !scanner.sees("&&");
  if (pipeline.selfCalls > 1 || inBackground) {
    shell.deny("fork bomb: a function that starts copies of itself without end");
  }
}

function readCommand(shell: Shell, scanner: Scanner, until: Until, pipeline: Pipeline): void {
  shell.spend(WORK_PER_COMMAND);
  const command = newCommand();
  let { words } = command;
  for (;;) {
    scanner.skipBlanks();
    const char = scanner.peek();
    if (endsCommand(char) && !(char === "&" && scanner.sees("&>"))) break;
    const run = scanner.take(PLAIN_WORDS);
    if (run !== "") {
      const parts = run.split(" ");
      shell.spend(parts.length * WORK_PER_WORD);
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
      readKeyword(shell, scanner, first, until, pipeline);
      if (scanner.closed) return;
    } else if (atRedirection(scanner, char)) readRedirection(shell, scanner, command);
    else if (char === "#") skipComment(scanner);
    else if (char === "(") {
      if (words.length === 1 && readFunction(shell, scanner, words[0] ?? "", until)) return;
      readParentheses(shell, scanner, pipeline);
    } else {
      const before = words.length;
      const plain = readWord(shell, scanner, words);
      if (words.length !== before + 1) continue;
      const word = words[before] ?? "";
      const array = scanner.peek() === "(" ? arrayName(word) : undefined;
      if (array !== undefined) {
        words.pop();
        readArray(shell, scanner, array);
      } else if (plain && isDescriptor(scanner, word)) words.pop();
      else if (plain && before === 0 && KEYWORDS.has(word)) {
        words.pop();
        readKeyword(shell, scanner, word, until, pipeline);
        if (scanner.closed) return;
      }
    }
  }
  command.mustWork = scanner.sees("&&");
  shell.judge(command, pipeline);
  if (shell.defining !== undefined && words[0] === shell.defining) pipeline.selfCalls += 1;
}

function endsCommand(char: string | undefined): boolean {
  return char === undefined || char === "\n" || char === ";" || char === "&" || char === "|" || char === ")";
}

/** The `2` of `2>file`. */
function isDescriptor(scanner: Scanner, word: string): boolean {
  const next = scanner.peek();
  return (next === "<" || next === ">") && /^\d*$/.test(word);
}

/** Reads the list of `NAME=(…)`. */
function readArray(shell: Shell, scanner: Scanner, name: string): void {
  const list: string[] = [];
  shell.spend(WORK_PER_COMMAND);
  scanner.at += 1;
  for (;;) {
    skipLines(shell, scanner);
    const char = scanner.peek();
    if (char === undefined) shell.doubt("an array is not closed");
    else if (char !== ")" && !endsWord(char)) readWord(shell, scanner, list);
    else scanner.at += 1;
    if (char === undefined || char === ")") break;
  }
  shell.variables.set(name, list);
}

// Redirections

/** `<`, `>` or `&>`. */
function atRedirection(scanner: Scanner, char: string | undefined): boolean {
  return char === "<" || char === ">" || (char === "&" && scanner.sees("&>"));
}

function readRedirection(shell: Shell, scanner: Scanner, command: Command): void {
  shell.spend(WORK_PER_COMMAND);
  if (scanner.peek() === "&") scanner.at += 1;
  const writes = scanner.peek() === ">";
  scanner.at += 1;
  const next = scanner.peek();
  if (next === "(") {
    readProcess(shell, scanner, command);
    return;
  }
  if (!writes && next === "<") {
    readInline(shell, scanner, command);
    return;
  }
  if (next === ">" || next === "|" || next === "&") scanner.at += 1;
  const target = readOne(shell, scanner);
  // `<>` opens for writing too. `2>&1` copies, and `>&-` closes.
  const opens = writes || next === ">";
  if (target !== undefined && opens && !(next === "&" && /^(?:\d|-$)/.test(target)))
    redirectionsOf(command).writes.push(target);
}

/** `<(…)` and `>(…)`: the shell puts the name of a pipe in its place. */
function readProcess(shell: Shell, scanner: Scanner, command: Command): void {
  scanner.at += 1;
  command.words.push(outputOf(shell, scanner));
  if (scanner.peek() === ")") scanner.at += 1;
  else shell.doubt("a process substitution is not closed");
}

/** `<<` and `<<<`; the scanner stands at the second sign. */
function readInline(shell: Shell, scanner: Scanner, command: Command): void {
  scanner.at += 1;
  if (scanner.peek() === "<") {
    scanner.at += 1;
    redirectionsOf(command).hereString = readOne(shell, scanner);
    return;
  }
  const dropsTabs = scanner.peek() === "-";
  if (dropsTabs) scanner.at += 1;
  scanner.skipBlanks();
  const words: string[] = [];
  const expands = readWord(shell, scanner, words);
  const [delimiter] = words;
  if (delimiter === undefined) return;
  const document = { delimiter, expands, dropsTabs, isScript: false };
  redirectionsOf(command).documents.push(document);
  scanner.announced.push(document);
}

/** Reads the bodies that were announced on the line that has just ended. */
function readBodies(shell: Shell, scanner: Scanner): void {
  const documents = scanner.announced;
  scanner.announced = [];
  for (const document of documents) {
    const body = takeBody(shell, scanner, document);
    if (document.isScript) shell.runScript(body);
    else if (document.expands) readBody(shell, body);
  }
}

function takeBody(shell: Shell, scanner: Scanner, { delimiter, dropsTabs }: Heredoc): string {
  const { text, at } = scanner;
  for (let start = at; start < text.length; ) {
    shell.spend(WORK_PER_LINE);
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    scanner.at = newline < 0 ? end : end + 1;
    if (dropsTabs) while (text[start] === "\t") start += 1;
    if (end - start === delimiter.length && text.startsWith(delimiter, start)) return text.slice(at, start);
    start = scanner.at;
  }
  return text.slice(at);
}

// Groups, functions and keywords

/** `( … )` or `(( … ))`; the scanner stands at the first parenthesis. */
function readParentheses(shell: Shell, scanner: Scanner, pipeline: Pipeline): void {
  scanner.at += 1;
  if (isArithmetic(shell, scanner)) {
    readArithmetic(shell, scanner);
    return;
  }
  shell.readSubshell(scanner, ")", pipeline.fetched);
  if (scanner.peek() === ")") scanner.at += 1;
  else shell.doubt("a parenthesis is not closed");
}

/** `name() …`, once the name has been read; false when these parentheses are something else. */
function readFunction(shell: Shell, scanner: Scanner, name: string, until: Until): boolean {
  const start = scanner.at;
  scanner.at += 1;
  scanner.skipBlanks();
  if (scanner.peek() !== ")") {
    scanner.at = start;
    return false;
  }
  scanner.at += 1;
  readFunctionBody(shell, scanner, name, until);
  return true;
}

function readFunctionBody(shell: Shell, scanner: Scanner, name: string, until: Until): void {
  shell.enter();
  const outer = shell.defining;
  shell.defining = name;
  skipLines(shell, scanner);
  readCommand(shell, scanner, until, newPipeline(false));
  shell.defining = outer;
  shell.leave();
}

function readKeyword(shell: Shell, scanner: Scanner, word: string, until: Until, pipeline: Pipeline): void {
  switch (word) {
    case "{":
      shell.readList(scanner, "}", pipeline.fetched);
      scanner.closed = false;
      break;
    case "}":
    case "esac":
      scanner.closed = until === word;
      break;
    case "for":
    case "select":
      readFor(shell, scanner);
      break;
    case "case":
      readCase(shell, scanner, pipeline);
      break;
    case "function": {
      const name = readOne(shell, scanner) ?? "";
      scanner.skipBlanks();
      if (scanner.peek() !== "(" || !readFunction(shell, scanner, name, until)) {
        readFunctionBody(shell, scanner, name, until);
      }
      break;
    }
    case SET + SET:
      skipTest(shell, scanner);
  }
}

/** `for name in words`: the body follows as ordinary commands, judged as if for all the words at once. */
function readFor(shell: Shell, scanner: Scanner): void {
  scanner.skipBlanks();
  if (scanner.peek() === "(") {
    scanner.at += 1;
    if (isArithmetic(shell, scanner)) readArithmetic(shell, scanner);
    return;
  }
  const name = readOne(shell, scanner) ?? "";
  skipLines(shell, scanner);
  const start = scanner.at;
  if (readOne(shell, scanner) !== "in") {
    scanner.at = start;
    return;
  }
  const list: string[] = [];
  scanner.skipBlanks();
  while (!endsWord(scanner.peek())) {
    readWord(shell, scanner, list);
    scanner.skipBlanks();
  }
  shell.variables.set(name, list);
}

function readCase(shell: Shell, scanner: Scanner, pipeline: Pipeline): void {
  readOne(shell, scanner);
  skipLines(shell, scanner);
  readOne(shell, scanner);
  while (scanner.peek() !== undefined && !scanner.closed && skipPattern(shell, scanner)) {
    shell.readList(scanner, "esac", pipeline.fetched);
    while (scanner.peek() === ";" || scanner.peek() === "&") scanner.at += 1;
    // A parenthesis here closes something around the case, which then was never finished.
    if (scanner.peek() === ")") break;
  }
  scanner.closed = false;
}

/** Skips `pattern)`; false at the `esac` instead, or when there is none. */
function skipPattern(shell: Shell, scanner: Scanner): boolean {
  const words: string[] = [];
  skipLines(shell, scanner);
  if (scanner.peek() === "(") scanner.at += 1;
  for (;;) {
    skipLines(shell, scanner);
    const char = scanner.peek();
    if (char === undefined) return false;
    if (char === ")") {
      scanner.at += 1;
      return true;
    }
    if (endsWord(char)) scanner.at += 1;
    else if (readWord(shell, scanner, words) && words.length === 1 && words[0] === "esac") return false;
  }
}

/** Skips `… ]]`, where parentheses, `<` and `|` are no operators of the shell. */
function skipTest(shell: Shell, scanner: Scanner): void {
  const words: string[] = [];
  for (;;) {
    skipLines(shell, scanner);
    const char = scanner.peek();
    if (char === undefined) return;
    if (endsWord(char)) scanner.at += 1;
    else if (readWord(shell, scanner, words) && words.at(-1) === "]]") return;
  }
}
