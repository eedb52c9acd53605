import {
  AMPERSAND,
  ASTERISK,
  AT,
  BACKSLASH,
  BACKTICK,
  BANG,
  CLOSE_BRACE,
  CLOSE_PAREN,
  COMMA,
  DOLLAR,
  DOUBLE_QUOTE,
  END,
  GREATER,
  isBlank,
  LESS,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  PIPE,
  PLUS,
  QUESTION,
  SEMICOLON,
  SINGLE_QUOTE,
  TILDE,
} from "../chars";
import { giveUp } from "../verdict";
import { readBackticks, readDollar } from "./expansions";
import { ANY, SET, STAR } from "./marks";
import { takePlain } from "./plain";
import { readDouble, readSingle } from "./quotes";
import { Scanner } from "./scanner";
import { readTilde } from "./tilde";
import { Word } from "./word";

/** Reads one word of shell text into `out`, as no word, one, or several; true when it was plain. */
export function readWord(scanner: Scanner, out: Array<string>): bool {
  const word = new Word(out);
  while (true) {
    takePlain(scanner, word);
    const unit = scanner.peek();
    if (endsWord(unit)) {
      if (unit !== OPEN_PAREN || !followsExtglob(scanner, word)) break;
      skipExtglob(scanner, word);
      continue;
    }
    scanner.pos++;
    readUnit(scanner, word, unit);
  }
  word.finish();
  return word.plain;
}

function readUnit(scanner: Scanner, word: Word, unit: i32): void {
  switch (unit) {
    case SINGLE_QUOTE:
      readSingle(scanner, word);
      break;
    case DOUBLE_QUOTE:
      readDouble(scanner, word);
      break;
    case BACKSLASH:
      readEscaped(scanner, word);
      break;
    case DOLLAR:
      readDollar(scanner, word, false);
      break;
    case BACKTICK:
      readBackticks(scanner, word, false);
      break;
    case TILDE:
      readTilde(scanner, word);
      break;
    case ASTERISK:
      word.add(STAR);
      break;
    case QUESTION:
      word.add(ANY);
      break;
    case OPEN_BRACKET:
      word.add(SET);
      break;
    case OPEN_BRACE:
    case COMMA:
    case CLOSE_BRACE:
      word.addBrace(unit);
      break;
    default:
      word.add(unit);
  }
}

function readEscaped(scanner: Scanner, word: Word): void {
  const unit = scanner.peek();
  if (unit === NEWLINE) {
    scanner.pos++;
    return;
  }
  word.addQuotes();
  if (unit === END) word.add(BACKSLASH);
  else {
    scanner.pos++;
    word.add(unit);
  }
}

export function endsWord(unit: i32): bool {
  switch (unit) {
    case END:
    case NEWLINE:
    case SEMICOLON:
    case AMPERSAND:
    case PIPE:
    case OPEN_PAREN:
    case CLOSE_PAREN:
    case LESS:
    case GREATER:
      return true;
    default:
      return isBlank(unit);
  }
}

// `!(…)`, `@(…)` and their kin are one pattern, not a group of commands.
function followsExtglob(scanner: Scanner, word: Word): bool {
  if (!word.isBegun()) return false;
  const before = scanner.text.charCodeAt(scanner.pos - 1);
  return before === BANG || before === AT || before === PLUS || before === QUESTION || before === ASTERISK;
}

function skipExtglob(scanner: Scanner, word: Word): void {
  const ignored = new Word([]);
  let open = 0;
  do {
    const unit = scanner.peek();
    if (unit === END) {
      giveUp("a pattern is not closed");
      break;
    }
    scanner.pos++;
    if (unit === OPEN_PAREN) open++;
    else if (unit === CLOSE_PAREN) open--;
    else readUnit(scanner, ignored, unit);
  } while (open > 0);
  ignored.finish();
  word.add(STAR);
}
