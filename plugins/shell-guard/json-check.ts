// Checks once that the text is JSON, so that the readers in json.ts may take every step for granted.

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

const MAX_DEPTH: i32 = 1024;
// The closing bracket that each open level waits for.
const levels: usize = memory.data(1024);

export function isJson(start: usize, end: usize): bool {
  let depth = 0;
  let at = start;
  while (true) {
    at = skipBlank(at, end);
    const first = at < end ? <i32>load<u8>(at) : -1;
    let open = false;
    if (first === OPEN_BRACE || first === OPEN_BRACKET) {
      if (depth === MAX_DEPTH) return false;
      // In ASCII either bracket closes two places behind the one that opens.
      const close = first + 2;
      at = skipBlank(at + 1, end);
      if (at < end && <i32>load<u8>(at) === close) {
        at++;
      } else {
        store<u8>(levels + depth++, <u8>close);
        if (close === CLOSE_BRACE) at = skipKey(at, end);
        open = true;
      }
    } else {
      at = skipScalar(at, end);
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
        if (close === CLOSE_BRACE) at = skipKey(skipBlank(at, end), end);
        if (at === 0) return false;
        open = true;
      }
    }
  }
}

export function skipBlank(at: usize, end: usize): usize {
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
  while (at < end) {
    // File contents can be long: eight bytes at once while nothing in them is special.
    while (at + 8 <= end && isOrdinary(load<u64>(at))) at += 8;
    if (at >= end) return 0;
    const unit = <i32>load<u8>(at++);
    if (unit === DOUBLE_QUOTE) return at;
    if (unit < SPACE) return 0;
    if (unit === BACKSLASH) {
      at = skipEscape(at, end);
      if (at === 0) return 0;
    }
  }
  return 0;
}

function isOrdinary(word: u64): bool {
  const ones: u64 = 0x0101010101010101;
  const quotes = word ^ (ones * 0x22);
  const slashes = word ^ (ones * 0x5c);
  const found = ((quotes - ones) & ~quotes) | ((slashes - ones) & ~slashes) | ((word - ones * 0x20) & ~word);
  return (found & (ones * 0x80)) === 0;
}

function skipEscape(at: usize, end: usize): usize {
  if (at >= end) return 0;
  const unit = <i32>load<u8>(at++);
  if (unit !== 0x75) return isEscapable(unit) ? at : 0;
  if (at + 4 > end) return 0;
  for (let i: usize = 0; i < 4; i++) if (hexValue(<i32>load<u8>(at + i)) < 0) return 0;
  return at + 4;
}

function isEscapable(unit: i32): bool {
  if (unit === DOUBLE_QUOTE || unit === BACKSLASH || unit === SLASH) return true;
  return unit === 0x62 || unit === 0x66 || unit === 0x6e || unit === 0x72 || unit === 0x74;
}

function skipKey(at: usize, end: usize): usize {
  at = skipString(at, end);
  if (at === 0) return 0;
  at = skipBlank(at, end);
  return at < end && load<u8>(at) === COLON ? at + 1 : 0;
}

function skipScalar(at: usize, end: usize): usize {
  if (at >= end) return 0;
  const first = <i32>load<u8>(at);
  if (first === DOUBLE_QUOTE) return skipString(at, end);
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
  if (at + word.length > end) return 0;
  for (let i = 0; i < word.length; i++) if (<i32>load<u8>(at + i) !== word.charCodeAt(i)) return 0;
  return at + word.length;
}
