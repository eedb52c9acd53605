// One growing stack of UTF-16 units on which all text is put together. A word inside of a word is pushed on top and
// cut off again, so no text is copied twice; and as every unit passes here, here is where endless work is seen.

import { SPACE } from "./chars";
import { giveUp } from "./verdict";

const MAX_UNITS: i32 = 1 << 18;

let base: usize = 0;
let size: i32 = 0;
let capacity: i32 = 0;
let spent: i32 = 0;

export function emptyText(): void {
  size = 0;
  spent = 0;
  capacity = 512;
  base = heap.alloc((<usize>capacity) << 1);
}

export function push(unit: i32): void {
  if (size === capacity) {
    capacity <<= 1;
    base = heap.realloc(base, (<usize>capacity) << 1);
  }
  store<u16>(base + ((<usize>size) << 1), <u16>unit);
  size++;
  spend(1);
}

/** For work that is not a push: as much of it as could have been pushed. */
export function spend(units: i32): void {
  spent += units;
  if (spent > MAX_UNITS) giveUp("too long when expanded");
}

export function pushText(text: string): void {
  for (let i = 0; i < text.length; i++) push(text.charCodeAt(i));
}

/** Remembers the top of the stack. */
export function mark(): i32 {
  return size;
}

/** Takes off everything above the mark. */
export function cut(start: i32): string {
  const text = String.UTF16.decodeUnsafe(base + ((<usize>start) << 1), (<usize>(size - start)) << 1);
  size = start;
  return text;
}

/** Joins with blanks. The library's own join takes quadratic time when it is built to be small. */
export function joined(words: Array<string>, from: i32): string {
  const start = mark();
  for (let i = from; i < words.length; i++) {
    if (i > from) push(SPACE);
    pushText(words[i]);
  }
  return cut(start);
}
