import { BACKSLASH, BACKTICK, DOLLAR, DOUBLE_QUOTE, END, hexValue, NEWLINE, REPLACEMENT, SINGLE_QUOTE } from "../chars";
import { giveUp } from "../verdict";
import { readBackticks, readDollar } from "./expansions";
import { isMark } from "./marks";
import { takeQuoted, takeSingle } from "./plain";
import { Scanner } from "./scanner";
import { Word } from "./word";

/** Reads `'…'`; the opening quote has been taken. */
export function readSingle(scanner: Scanner, word: Word): void {
  word.addQuotes();
  while (true) {
    takeSingle(scanner, word);
    const unit = scanner.peek();
    if (unit === END) return giveUp("a single quote is not closed");
    scanner.pos++;
    if (unit === SINGLE_QUOTE) return;
    word.add(unit);
  }
}

/** Reads `"…"`; the opening quote has been taken. */
export function readDouble(scanner: Scanner, word: Word): void {
  word.addQuotes();
  while (true) {
    takeQuoted(scanner, word);
    const unit = scanner.peek();
    if (unit === END) return giveUp("a double quote is not closed");
    scanner.pos++;
    if (unit === DOUBLE_QUOTE) return;
    readQuotedUnit(scanner, word, unit);
  }
}

/** One unit of text in which only `$`, a backtick and a backslash are special: double quotes, here-documents. */
export function readQuotedUnit(scanner: Scanner, word: Word, unit: i32): void {
  if (unit === DOLLAR) readDollar(scanner, word, true);
  else if (unit === BACKTICK) readBackticks(scanner, word, true);
  else if (unit === BACKSLASH) readQuotedEscape(scanner, word);
  else word.add(unit);
}

function readQuotedEscape(scanner: Scanner, word: Word): void {
  const unit = scanner.peek();
  if (unit === NEWLINE) {
    scanner.pos++;
  } else if (unit === DOLLAR || unit === BACKTICK || unit === DOUBLE_QUOTE || unit === BACKSLASH) {
    scanner.pos++;
    word.add(unit);
  } else {
    word.add(BACKSLASH);
  }
}

/** Reads `$'…'`; the opening quote has been taken. */
export function readAnsi(scanner: Scanner, word: Word): void {
  word.addQuotes();
  while (true) {
    const unit = scanner.peek();
    if (unit === END) return giveUp("a single quote is not closed");
    scanner.pos++;
    if (unit === SINGLE_QUOTE) return;
    if (unit === BACKSLASH) readAnsiEscape(scanner, word);
    else word.add(unit);
  }
}

function readAnsiEscape(scanner: Scanner, word: Word): void {
  const unit = scanner.peek();
  if (unit === END) return;
  scanner.pos++;
  if (unit === 0x78) addNumber(scanner, word, 16, 2);
  else if (unit === 0x75) addNumber(scanner, word, 16, 4);
  else if (unit === 0x55) addNumber(scanner, word, 16, 8);
  else if (unit >= 0x30 && unit <= 0x37) {
    scanner.pos--;
    addNumber(scanner, word, 8, 3);
  } else if (unit === 0x6e) word.add(NEWLINE);
  else if (unit === 0x74) word.add(0x09);
  else if (unit === 0x72) word.add(0x0d);
  else word.add(unit);
}

function addNumber(scanner: Scanner, word: Word, radix: i32, maxDigits: i32): void {
  let value = 0;
  for (let i = 0; i < maxDigits; i++) {
    const digit = hexValue(scanner.peek());
    if (digit < 0 || digit >= radix) break;
    value = value * radix + digit;
    scanner.pos++;
  }
  word.add(value > 0xffff || isMark(value) ? REPLACEMENT : value);
}
