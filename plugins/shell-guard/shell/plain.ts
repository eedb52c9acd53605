// Runs of units that stand for nothing but themselves. Nearly all of a command is such runs, and taking them as a whole
// costs a fraction of what taking them unit by unit does.

import {
  AMPERSAND,
  ASTERISK,
  BACKSLASH,
  BACKTICK,
  CLOSE_BRACE,
  CLOSE_PAREN,
  COMMA,
  DOLLAR,
  DOUBLE_QUOTE,
  GREATER,
  LESS,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  PIPE,
  QUESTION,
  RETURN,
  SEMICOLON,
  SINGLE_QUOTE,
  SPACE,
  TAB,
  TILDE,
} from "../chars";
import { affordable } from "../text";
import { addressOf } from "../units";
import { stopped } from "../verdict";
import { Scanner } from "./scanner";
import { Word } from "./word";

// A bit for each unit of ASCII that ends a run, those below 64 and those above.
const ENDS_WORD: u64 =
  ((<u64>1) << TAB) |
  ((<u64>1) << NEWLINE) |
  ((<u64>1) << RETURN) |
  ((<u64>1) << SPACE) |
  ((<u64>1) << DOUBLE_QUOTE) |
  ((<u64>1) << DOLLAR) |
  ((<u64>1) << AMPERSAND) |
  ((<u64>1) << SINGLE_QUOTE) |
  ((<u64>1) << OPEN_PAREN) |
  ((<u64>1) << CLOSE_PAREN) |
  ((<u64>1) << ASTERISK) |
  ((<u64>1) << COMMA) |
  ((<u64>1) << SEMICOLON) |
  ((<u64>1) << LESS) |
  ((<u64>1) << GREATER) |
  ((<u64>1) << QUESTION);
const ENDS_WORD_HIGH: u64 =
  ((<u64>1) << (OPEN_BRACKET - 64)) |
  ((<u64>1) << (BACKSLASH - 64)) |
  ((<u64>1) << (BACKTICK - 64)) |
  ((<u64>1) << (OPEN_BRACE - 64)) |
  ((<u64>1) << (PIPE - 64)) |
  ((<u64>1) << (CLOSE_BRACE - 64)) |
  ((<u64>1) << (TILDE - 64));
const ENDS_QUOTED: u64 = ((<u64>1) << DOUBLE_QUOTE) | ((<u64>1) << DOLLAR);
const ENDS_QUOTED_HIGH: u64 = ((<u64>1) << (BACKSLASH - 64)) | ((<u64>1) << (BACKTICK - 64));
const ENDS_SINGLE: u64 = (<u64>1) << SINGLE_QUOTE;

/** Takes what stands outside of quotes. */
export function takePlain(scanner: Scanner, word: Word): void {
  takeRun(scanner, word, ENDS_WORD, ENDS_WORD_HIGH);
}

/** Takes what stands in double quotes. */
export function takeQuoted(scanner: Scanner, word: Word): void {
  takeRun(scanner, word, ENDS_QUOTED, ENDS_QUOTED_HIGH);
}

/** Takes what stands in single quotes. */
export function takeSingle(scanner: Scanner, word: Word): void {
  takeRun(scanner, word, ENDS_SINGLE, 0);
}

/** Never takes more than can be paid for: what is too long ends at the same unit as if it were read one by one. */
function takeRun(scanner: Scanner, word: Word, low: u64, high: u64): void {
  if (stopped()) return;
  const start = scanner.pos;
  const text = scanner.text;
  const from = addressOf(text) + ((<usize>start) << 1);
  const end = from + ((<usize>min(scanner.end - start, affordable())) << 1);
  let at = from;
  for (; at < end; at += 2) {
    const unit = <u64>load<u16>(at);
    // A shift looks at the low six bits of its count only.
    if (((select<u64>(low, high, unit < 64) >> unit) & <u64>(unit < 128)) !== 0) break;
  }
  const count = <i32>((at - from) >> 1);
  if (count === 0) return;
  scanner.pos = start + count;
  word.addUnits(from, count);
}
