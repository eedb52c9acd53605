// Reads single values out of text that isJson() has passed. Places are addresses; 0 is "there is none".

import {
  BACKSLASH,
  CLOSE_BRACKET,
  COMMA,
  DOUBLE_QUOTE,
  hexValue,
  OPEN_BRACKET,
  REPLACEMENT,
} from "./chars";
import { skipBlank, skipString } from "./json-check";
import { isMark } from "./shell/marks";
import { cut, mark, push, pushBytes, spend } from "./text";

export function isText(at: usize): bool {
  return at !== 0 && load<u8>(at) === DOUBLE_QUOTE;
}

export function isList(at: usize): bool {
  return at !== 0 && load<u8>(at) === OPEN_BRACKET;
}

/** Reads a list of strings; null when anything in it is something else. */
export function textsOf(list: usize, end: usize): Array<string> | null {
  const texts = new Array<string>();
  let at = skipBlank(list + 1, end);
  while (load<u8>(at) !== CLOSE_BRACKET) {
    if (!isText(at)) return null;
    texts.push(textOf(at, end));
    at = nextText(at, end);
  }
  return texts;
}

export function textOf(at: usize, end: usize): string {
  const start = mark();
  const stop = skipString(at, end) - 1;
  at++;
  while (true) {
    at = pushAscii(at, stop);
    if (at >= stop) return cut(start);
    at = load<u8>(at) === BACKSLASH ? pushEscape(at + 1) : pushUtf8(at, stop);
  }
}

/** Pushes what needs no thought, eight bytes at once. */
function pushAscii(from: usize, stop: usize): usize {
  let at = from;
  while (at < stop) {
    const bytes = load<u64>(at);
    const found = foreignBytes(bytes);
    const count = min(found === 0 ? <usize>8 : <usize>(ctz(found) >> 3), stop - at);
    if (count === 0) break;
    pushBytes(bytes, <i32>count);
    at += count;
  }
  spend(<i32>(at - from));
  return at;
}

/** Is all of this ASCII, and no backslash in it? */
export function isAscii(at: usize, size: i32): bool {
  for (; size >= 8; size -= 8) {
    if (foreignBytes(load<u64>(at)) !== 0) return false;
    at += 8;
  }
  return size === 0 || foreignBytes(load<u64>(at) << ((8 - <u64>size) << 3)) === 0;
}

/** The lowest bit that is set is in the first byte that is a backslash or not ASCII. */
function foreignBytes(word: u64): u64 {
  const ones: u64 = 0x0101010101010101;
  const slashes = word ^ (ones * 0x5c);
  return (((slashes - ones) & ~slashes) | word) & (ones * 0x80);
}

/** From one text to the next in the same list, or to the closing bracket. */
function nextText(text: usize, end: usize): usize {
  const at = skipBlank(skipString(text, end), end);
  return load<u8>(at) === COMMA ? skipBlank(at + 1, end) : at;
}

function pushEscape(at: usize): usize {
  const unit = <i32>load<u8>(at);
  switch (unit) {
    case 0x62:
      push(0x08);
      break;
    case 0x66:
      push(0x0c);
      break;
    case 0x6e:
      push(0x0a);
      break;
    case 0x72:
      push(0x0d);
      break;
    case 0x74:
      push(0x09);
      break;
    case 0x75: {
      let value = 0;
      for (let i: usize = 1; i <= 4; i++) value = (value << 4) | hexValue(<i32>load<u8>(at + i));
      pushForeign(value);
      return at + 5;
    }
    default:
      push(unit);
  }
  return at + 1;
}

function pushUtf8(at: usize, stop: usize): usize {
  const first = <i32>load<u8>(at);
  const extra = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
  let value = first & (0x3f >> extra);
  if (extra === 0 || at + extra >= stop) value = REPLACEMENT;
  for (let i = 1; i <= extra && at + i < stop; i++) {
    const more = <i32>load<u8>(at + i);
    // Something else than a continuation: never swallow it, it may be what ends a word.
    if ((more & 0xc0) !== 0x80) {
      push(REPLACEMENT);
      return at + i;
    }
    value = (value << 6) | (more & 0x3f);
  }
  if (value < 0x10000) pushForeign(value);
  else {
    push(0xd800 + ((value - 0x10000) >> 10));
    push(0xdc00 + (value & 0x3ff));
  }
  return at + 1 + extra;
}

// Expansions are marked by units of the private use area; text from outside must not be able to spell one.
function pushForeign(unit: i32): void {
  push(isMark(unit) ? REPLACEMENT : unit);
}
