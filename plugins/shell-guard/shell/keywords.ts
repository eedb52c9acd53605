import { AMPERSAND, CLOSE_PAREN, END, OPEN_PAREN, SEMICOLON } from "../chars";
import { giveUp } from "../verdict";
import { isArithmetic, readArithmetic } from "./arithmetic";
import { Pipeline } from "./command";
import { parseBraces, parseNamedFunction } from "./groups";
import { SET } from "./marks";
import { parseList, skipLines, UNTIL_BRACE, UNTIL_ESAC } from "./parser";
import { endsWord, readWord } from "./read-word";
import { enter, leave, Scanner } from "./scanner";
import { assign } from "./variables";
import { isOneOf, same } from "../units";

const KEYWORDS: StaticArray<string> = [
  // After or before these a command stands just as it would without them.
  "if",
  "then",
  "elif",
  "else",
  "fi",
  "while",
  "until",
  "do",
  "done",
  "!",
  "coproc",
  // These bind what follows.
  "{",
  "}",
  "for",
  "select",
  "case",
  "esac",
  "function",
];

export function isKeyword(word: string): bool {
  return isOneOf(KEYWORDS, word) || isTest(word);
}

export function parseKeyword(scanner: Scanner, word: string, until: i32, pipeline: Pipeline): void {
  if (same(word, "{")) parseBraces(scanner, pipeline);
  else if (same(word, "}")) scanner.closed = until === UNTIL_BRACE;
  else if (same(word, "esac")) scanner.closed = until === UNTIL_ESAC;
  else if (same(word, "for") || same(word, "select")) parseFor(scanner);
  else if (same(word, "case")) parseCase(scanner, pipeline);
  else if (same(word, "function")) parseNamedFunction(scanner, nextWord(scanner), until);
  else if (isTest(word)) skipTest(scanner);
}

// `[[`, of which a word keeps the marks.
function isTest(word: string): bool {
  return word.length === 2 && word.charCodeAt(0) === SET && word.charCodeAt(1) === SET;
}

function nextWord(scanner: Scanner): string {
  const words = new Array<string>();
  scanner.skipBlanks();
  readWord(scanner, words);
  return words.length > 0 ? words[0] : "";
}

/** `for name in words`: the body follows as ordinary commands, judged as if for all the words at once. */
function parseFor(scanner: Scanner): void {
  scanner.skipBlanks();
  if (scanner.peek() === OPEN_PAREN) {
    scanner.pos++;
    if (isArithmetic(scanner)) readArithmetic(scanner);
    return;
  }
  const name = nextWord(scanner);
  skipLines(scanner);
  const start = scanner.pos;
  if (!same(nextWord(scanner), "in")) {
    scanner.pos = start;
    return;
  }
  const list = new Array<string>();
  scanner.skipBlanks();
  while (!endsWord(scanner.peek())) {
    readWord(scanner, list);
    scanner.skipBlanks();
  }
  assign(name, list);
}

function parseCase(scanner: Scanner, pipeline: Pipeline): void {
  if (!enter()) return giveUp("nested too deeply");
  nextWord(scanner);
  skipLines(scanner);
  nextWord(scanner);
  while (scanner.peek() !== END && !scanner.closed && skipPattern(scanner)) {
    parseList(scanner, UNTIL_ESAC, pipeline.fetched);
    while (scanner.peek() === SEMICOLON || scanner.peek() === AMPERSAND) scanner.pos++;
    // A parenthesis here closes something around the case, which then was never finished.
    if (scanner.peek() === CLOSE_PAREN) break;
  }
  scanner.closed = false;
  leave();
}

/** Skips `pattern)`; false at the `esac` instead, or when there is none. */
function skipPattern(scanner: Scanner): bool {
  const words = new Array<string>();
  skipLines(scanner);
  if (scanner.peek() === OPEN_PAREN) scanner.pos++;
  while (true) {
    skipLines(scanner);
    const unit = scanner.peek();
    if (unit === END) return false;
    if (unit === CLOSE_PAREN) {
      scanner.pos++;
      return true;
    }
    if (endsWord(unit)) scanner.pos++;
    else if (readWord(scanner, words) && words.length === 1 && same(words[0], "esac")) return false;
  }
}

/** Skips `… ]]`, where parentheses, `<` and `|` are no operators of the shell. */
function skipTest(scanner: Scanner): void {
  const words = new Array<string>();
  while (true) {
    skipLines(scanner);
    const unit = scanner.peek();
    if (unit === END) return;
    if (endsWord(unit)) scanner.pos++;
    // Nothing is added where the text ends in the middle of a word.
    else if (readWord(scanner, words) && words.length > 0 && same(words[words.length - 1], "]]")) return;
  }
}
