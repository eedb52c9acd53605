// The members of the objects that the guard asks for, noted while the text is checked.

import { isAscii, textOf } from "./json";
import { spend } from "./text";
import { hasAscii, same } from "./units";

const OBJECT: usize = 0;
const KEY: usize = 4;
/** Of the key in bytes, without its quotes. */
const SIZE: usize = 8;
const VALUE: usize = 12;
const ENTRY_SHIFT: usize = 4;
const ENTRY_BYTES: usize = 16;
const FIRST_CAPACITY: i32 = 32;

let base: usize = 0;
let count: i32 = 0;
let capacity: i32 = 0;

export function forgetMembers(): void {
  count = 0;
  capacity = FIRST_CAPACITY;
  base = heap.alloc((<usize>FIRST_CAPACITY) << ENTRY_SHIFT);
}

export function addMember(object: usize, key: usize, size: i32, value: usize): void {
  if (count === capacity) makeRoom();
  const entry = base + ((<usize>count) << ENTRY_SHIFT);
  store<usize>(entry, object, OBJECT);
  store<usize>(entry, key, KEY);
  store<i32>(entry, size, SIZE);
  store<usize>(entry, value, VALUE);
  count++;
}

/** The value of a member of this very object, never of one deeper down. Of two with one key the last, as JSON.parse. */
export function memberOf(object: usize, key: string): usize {
  let found: usize = 0;
  let entry = base;
  const end = base + ((<usize>count) << ENTRY_SHIFT);
  while (true) {
    // Most are another's or too short. A loop of its own pays for nothing but that.
    while (entry < end && !isCandidate(entry, object, key)) entry += ENTRY_BYTES;
    if (entry === end) return found;
    if (isKey(entry, key)) found = load<usize>(entry, VALUE);
    entry += ENTRY_BYTES;
  }
}

/** Every escape is longer than what it stands for, so a key that is too short is never the right one in disguise. */
// @ts-ignore: decorator
@inline
function isCandidate(entry: usize, object: usize, key: string): bool {
  return load<usize>(entry, OBJECT) === object && load<i32>(entry, SIZE) >= key.length;
}

function isKey(entry: usize, key: string): bool {
  const at = load<usize>(entry, KEY);
  const size = load<i32>(entry, SIZE);
  if (size === key.length) return hasAscii(at + 1, key);
  // No escape is longer than six bytes.
  return size <= key.length * 6 && isEscaped(at, size, key);
}

function isEscaped(at: usize, size: i32, key: string): bool {
  if (!isAscii(at + 1, size)) return same(textOf(at, at + <usize>size + 2), key);
  // There is nothing to decode. The price of decoding is paid all the same: what a text may cost before it counts as
  // too long has nothing to do with how it is read.
  spend(size);
  return false;
}

function makeRoom(): void {
  capacity <<= 1;
  base = heap.realloc(base, (<usize>capacity) << ENTRY_SHIFT);
}
