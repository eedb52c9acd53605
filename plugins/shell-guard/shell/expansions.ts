// `$…` and backticks. Commands inside are judged like any other; what they may give becomes part of the word.

import {
  ASTERISK,
  AT,
  BACKSLASH,
  BACKTICK,
  BANG,
  CLOSE_PAREN,
  DASH,
  DOLLAR,
  DOUBLE_QUOTE,
  END,
  HASH,
  isDigit,
  isNameStart,
  isNameUnit,
  OPEN_BRACE,
  OPEN_PAREN,
  QUESTION,
  SINGLE_QUOTE,
} from "../chars";
import { cut, mark, push } from "../text";
import { giveUp } from "../verdict";
import { isArithmetic, readArithmetic } from "./arithmetic";
import { UNKNOWN } from "./marks";
import { readParameter } from "./parameter";
import { readAnsi } from "./quotes";
import { Scanner } from "./scanner";
import { outputOf } from "./substitution";
import { addVariable } from "./variables";
import { Word } from "./word";

/** Reads what follows a `$`. */
export function readDollar(scanner: Scanner, word: Word, quoted: bool): void {
  const unit = scanner.peek();
  if (unit === OPEN_PAREN) {
    scanner.pos++;
    if (isArithmetic(scanner)) {
      readArithmetic(scanner);
      addUnknown(word);
      return;
    }
    const value = outputOf(scanner);
    if (scanner.peek() === CLOSE_PAREN) scanner.pos++;
    else giveUp("a command substitution is not closed");
    word.addValue(value, quoted);
  } else if (unit === OPEN_BRACE) {
    scanner.pos++;
    readParameter(scanner, word, quoted);
  } else if (unit === SINGLE_QUOTE && !quoted) {
    scanner.pos++;
    readAnsi(scanner, word);
  } else if (isNameStart(unit)) {
    addVariable(word, readName(scanner), quoted);
  } else if (isSpecialParameter(unit)) {
    scanner.pos++;
    addUnknown(word);
  } else if (unit !== DOUBLE_QUOTE || quoted) {
    word.add(DOLLAR);
  }
}

/** Reads the rest of a substitution in backticks, in which a backslash hides one more level. */
export function readBackticks(scanner: Scanner, word: Word, quoted: bool): void {
  const start = mark();
  let unit = scanner.peek();
  while (unit !== BACKTICK && unit !== END) {
    scanner.pos++;
    if (unit === BACKSLASH) {
      const next = scanner.peek();
      if (next === BACKTICK || next === BACKSLASH || next === DOLLAR || (quoted && next === DOUBLE_QUOTE)) {
        scanner.pos++;
        unit = next;
      }
    }
    push(unit);
    unit = scanner.peek();
  }
  const inner = cut(start);
  if (unit === END) return giveUp("a backtick is not closed");
  scanner.pos++;
  word.addValue(outputOf(new Scanner(inner)), quoted);
}

export function readName(scanner: Scanner): string {
  const start = mark();
  while (isNameUnit(scanner.peek())) {
    push(scanner.peek());
    scanner.pos++;
  }
  return cut(start);
}

export function isSpecialParameter(unit: i32): bool {
  if (isDigit(unit) || unit === AT || unit === ASTERISK || unit === HASH || unit === QUESTION) return true;
  return unit === DOLLAR || unit === BANG || unit === DASH;
}

function addUnknown(word: Word): void {
  word.plain = false;
  word.add(UNKNOWN);
}
