// Reads single values out of text that isJson() has passed. Places are addresses; 0 is "there is none".

import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  DOUBLE_QUOTE,
  hexValue,
  OPEN_BRACE,
  OPEN_BRACKET,
  REPLACEMENT,
} from "./chars";
import { skipBlank, skipString } from "./json-check";
import { isMark } from "./shell/marks";
import { cut, mark, push } from "./text";

/** The value of a member of this very object, never of one deeper down. Of two with one key the last, as JSON.parse. */
export function memberOf(object: usize, end: usize, key: string): usize {
  let found: usize = 0;
  if (object === 0 || load<u8>(object) !== OPEN_BRACE) return found;
  let at = skipBlank(object + 1, end);
  while (load<u8>(at) !== CLOSE_BRACE) {
    const afterKey = skipString(at, end);
    const value = skipBlank(skipBlank(afterKey, end) + 1, end);
    if (isKey(at, afterKey, key)) found = value;
    at = nextItem(value, end);
  }
  return found;
}

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
    at = nextItem(at, end);
  }
  return texts;
}

export function textOf(at: usize, end: usize): string {
  const start = mark();
  const stop = skipString(at, end) - 1;
  at++;
  while (at < stop) {
    const unit = <i32>load<u8>(at);
    if (unit === BACKSLASH) at = pushEscape(at + 1);
    else if (unit < 0x80) {
      push(unit);
      at++;
    } else at = pushUtf8(at, stop);
  }
  return cut(start);
}

function isKey(at: usize, afterKey: usize, key: string): bool {
  const size = <i32>(afterKey - at) - 2;
  // Every escape is longer than what it stands for, so a key that is too short is never the right one in disguise.
  if (size < key.length) return false;
  if (size > key.length) return size <= key.length * 6 && textOf(at, afterKey) === key;
  for (let i = 0; i < size; i++) if (<i32>load<u8>(at + 1 + i) !== key.charCodeAt(i)) return false;
  return true;
}

/** From one value to the next in the same list or object, or to the closing bracket. */
function nextItem(value: usize, end: usize): usize {
  const at = skipBlank(skipValue(value, end), end);
  return load<u8>(at) === COMMA ? skipBlank(at + 1, end) : at;
}

function skipValue(at: usize, end: usize): usize {
  let depth = 0;
  while (at < end) {
    const unit = <i32>load<u8>(at);
    if (unit === DOUBLE_QUOTE) {
      at = skipString(at, end);
      if (depth === 0) return at;
      continue;
    }
    if (unit === OPEN_BRACE || unit === OPEN_BRACKET) depth++;
    else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) {
      // The closing bracket of the parent ends a number or a word.
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (unit === COMMA && depth === 0) return at;
    at++;
  }
  return at;
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
