// What a shell works out is no longer text: it cannot be a quote, an operator or a keyword any more. So in a word that
// has been read, an expansion stands as one unit of the private use area. Text from outside cannot contain these.

import { ASTERISK, COMMA, DOLLAR, DOT, OPEN_BRACE, OPEN_BRACKET, QUESTION, TILDE } from "../chars";

const FIRST: i32 = 0xe000;
const LAST: i32 = 0xe008;

/** The user's home directory: an unquoted `~`, or `$HOME`. */
export const HOME: i32 = 0xe000;
/** The working directory: `$PWD`, `$(pwd)`. */
export const HERE: i32 = 0xe001;
/** An unquoted `*`. */
export const STAR: i32 = 0xe002;
/** An unquoted `?`. */
export const ANY: i32 = 0xe003;
/** An unquoted `[`. */
export const SET: i32 = 0xe004;
/** Whatever a variable or a command may give, nothing at all included. */
export const UNKNOWN: i32 = 0xe005;
/** The output of a command that downloads. */
export const FETCHED: i32 = 0xe006;
/** The unquoted `{` of a brace expansion. */
export const BRACE: i32 = 0xe007;
/** The comma of a brace expansion; its closing brace is found by counting. */
export const CHOICE: i32 = 0xe008;

export function isMark(unit: i32): bool {
  return unit >= FIRST && unit <= LAST;
}

/** How a mark looks to a reader. */
export function spelling(unit: i32): i32 {
  switch (unit) {
    case HOME:
      return TILDE;
    case HERE:
      return DOT;
    case STAR:
      return ASTERISK;
    case ANY:
      return QUESTION;
    case SET:
      return OPEN_BRACKET;
    case BRACE:
      return OPEN_BRACE;
    case CHOICE:
      return COMMA;
    case UNKNOWN:
    case FETCHED:
      return DOLLAR;
    default:
      return unit;
  }
}

export function isGlob(unit: i32): bool {
  return unit === STAR || unit === ANY || unit === SET;
}
