// Checks once that the text is JSON, so that the readers in json.ts may take every step for granted. On the way it
// notes the members of the outer two objects, so that the text, which may hold whole files, is gone through only once.

import {
  BACKSLASH,
  CLOSE_BRACE,
  COLON,
  COMMA,
  DASH,
  DOT,
  DOUBLE_QUOTE,
  hexValue,
  isDigit,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
  RETURN,
  SLASH,
  SPACE,
  TAB,
} from "./chars";
import { addMember } from "./members";
import { hasAscii } from "./units";

const MAX_DEPTH: i32 = 1024;
// The closing bracket that each open level waits for.
const levels: usize = memory.data(1024);

export function isJson(start: usize, end: usize): bool {
  let depth = 0;
  let at = start;
  let outer: usize = 0;
  let inner: usize = 0;
  while (true) {
    at = skipBlank(at, end);
    const first = at < end ? <i32>load<u8>(at) : -1;
    let open = false;
    if (first === OPEN_BRACE || first === OPEN_BRACKET) {
      if (depth === MAX_DEPTH) return false;
      // In ASCII either bracket closes two places behind the one that opens.
      const close = first + 2;
      const value = at;
      at = skipBlank(at + 1, end);
      if (at < end && <i32>load<u8>(at) === close) {
        at++;
      } else {
        store<u8>(levels + depth++, <u8>close);
        if (depth === 1) outer = value;
        else if (depth === 2) inner = value;
        if (close === CLOSE_BRACE) at = readKey(at, end, depth === 1 ? outer : depth === 2 ? inner : 0);
        open = true;
      }
    } else {
      at = first === DOUBLE_QUOTE ? skipString(at, end) : skipScalar(at, end);
    }
    if (at === 0) return false;
    while (!open) {
      at = skipBlank(at, end);
      if (depth === 0) return at === end;
      if (at >= end) return false;
      const unit = <i32>load<u8>(at++);
      const close = <i32>load<u8>(levels + depth - 1);
      if (unit === close) {
        depth--;
      } else {
        if (unit !== COMMA) return false;
        if (close === CLOSE_BRACE) {
          at = readKey(skipBlank(at, end), end, depth === 1 ? outer : depth === 2 ? inner : 0);
        }
        if (at === 0) return false;
        open = true;
      }
    }
  }
}

export function skipBlank(at: usize, end: usize): usize {
  // Mostly there is none.
  return at < end && load<u8>(at) <= <u8>SPACE ? skipBlanks(at, end) : at;
}

function skipBlanks(at: usize, end: usize): usize {
  while (at < end) {
    const unit = <i32>load<u8>(at);
    if (unit !== SPACE && unit !== NEWLINE && unit !== RETURN && unit !== TAB) break;
    at++;
  }
  return at;
}

/** The place behind the string that starts at `at`, or 0. */
export function skipString(at: usize, end: usize): usize {
  if (at >= end || load<u8>(at) !== DOUBLE_QUOTE) return 0;
  at++;
  while (true) {
    at = nextSpecial(at);
    if (at >= end) return 0;
    const unit = <i32>load<u8>(at++);
    if (unit !== BACKSLASH) return unit === DOUBLE_QUOTE ? at : 0;
    at = skipEscape(at, end);
    if (at === 0) return 0;
  }
}

/** Eight bytes at once, up to the first that is special. The zeros behind the text are special too. */
function nextSpecial(at: usize): usize {
  let found = specialBytes(load<u64>(at));
  while (found === 0) {
    at += 8;
    found = specialBytes(load<u64>(at));
  }
  return at + <usize>(ctz(found) >> 3);
}

/** The lowest bit that is set is in the first byte that is a quote, a backslash or a control character. */
function specialBytes(word: u64): u64 {
  const ones: u64 = 0x0101010101010101;
  const quotes = word ^ (ones * 0x22);
  const slashes = word ^ (ones * 0x5c);
  const found = ((quotes - ones) & ~quotes) | ((slashes - ones) & ~slashes) | ((word - ones * 0x20) & ~word);
  return found & (ones * 0x80);
}

function skipEscape(at: usize, end: usize): usize {
  if (at >= end) return 0;
  const unit = <i32>load<u8>(at);
  return unit === 0x75 ? skipUnicode(at + 1, end) : isEscapable(unit) ? at + 1 : 0;
}

function skipUnicode(at: usize, end: usize): usize {
  if (at + 4 > end) return 0;
  for (let i: usize = 0; i < 4; i++) if (hexValue(<i32>load<u8>(at + i)) < 0) return 0;
  return at + 4;
}

function isEscapable(unit: i32): bool {
  if (unit === DOUBLE_QUOTE || unit === BACKSLASH || unit === SLASH) return true;
  return unit === 0x62 || unit === 0x66 || unit === 0x6e || unit === 0x72 || unit === 0x74;
}

/** The place of the member's value, or 0. The object is 0 when it is none whose members are noted. */
function readKey(key: usize, end: usize, object: usize): usize {
  const afterKey = skipString(key, end);
  if (afterKey === 0) return 0;
  const colon = skipBlank(afterKey, end);
  if (colon >= end || load<u8>(colon) !== COLON) return 0;
  const value = skipBlank(colon + 1, end);
  if (object !== 0) addMember(object, key, <i32>(afterKey - key) - 2, value);
  return value;
}

function skipScalar(at: usize, end: usize): usize {
  if (at >= end) return 0;
  const first = <i32>load<u8>(at);
  if (first === 0x74) return skipWord(at, end, "true");
  if (first === 0x66) return skipWord(at, end, "false");
  if (first === 0x6e) return skipWord(at, end, "null");
  const start = at;
  while (at < end && isNumeric(<i32>load<u8>(at))) at++;
  return at > start && (first === DASH || isDigit(first)) ? at : 0;
}

function isNumeric(unit: i32): bool {
  return isDigit(unit) || unit === DASH || unit === PLUS || unit === DOT || (unit | 0x20) === 0x65;
}

function skipWord(at: usize, end: usize, word: string): usize {
  const next = at + word.length;
  return next <= end && hasAscii(at, word) ? next : 0;
}
