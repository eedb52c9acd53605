// One growing stack of UTF-16 units on which all text is put together. A word inside of a word is pushed on top and
// cut off again, so no text is copied twice; and as every unit passes here, here is where endless work is seen.

import { SPACE } from "./chars";
import { addressOf, copyUnits, newText } from "./units";
import { giveUp } from "./verdict";

const MAX_UNITS: i32 = 1 << 18;
const FIRST_CAPACITY: i32 = 512;
// Copies go in steps of four units and may write past their end.
const MARGIN: i32 = 4;

let base: usize = 0;
let size: i32 = 0;
let capacity: i32 = 0;
let spent: i32 = 0;

export function emptyText(): void {
  size = 0;
  spent = 0;
  capacity = FIRST_CAPACITY;
  base = heap.alloc((<usize>(FIRST_CAPACITY + MARGIN)) << 1);
}

export function push(unit: i32): void {
  if (size === capacity) makeRoom(1);
  store<u16>(base + ((<usize>size) << 1), <u16>unit);
  size++;
  if (++spent > MAX_UNITS) runOut();
}

/** For work that is not a push: as much of it as could have been pushed. */
export function spend(units: i32): void {
  spent += units;
  if (spent > MAX_UNITS) runOut();
}

/** How many units can be pushed before that is too much. */
export function affordable(): i32 {
  return max(0, MAX_UNITS - spent);
}

export function pushText(text: string): void {
  pushUnits(addressOf(text), text.length);
}

/** Pushes many units at once, from an address where they stand. */
export function pushUnits(from: usize, count: i32): void {
  if (count > capacity - size) makeRoom(count);
  copyUnits(base + ((<usize>size) << 1), from, count);
  size += count;
  spend(count);
}

/** Pushes up to eight units: the first of these bytes, each as one unit. To be paid for with spend(). */
export function pushBytes(bytes: u64, count: i32): void {
  if (count > capacity - size - MARGIN) makeRoom(count + MARGIN);
  const to = base + ((<usize>size) << 1);
  store<u64>(to, widen(<u32>bytes));
  store<u64>(to + 8, widen(<u32>(bytes >> 32)));
  size += count;
}

/** Four bytes as four units. */
// @ts-ignore: decorator
@inline
function widen(bytes: u32): u64 {
  const pairs = (<u64>bytes | (<u64>bytes << 16)) & 0x0000ffff0000ffff;
  return (pairs | (pairs << 8)) & 0x00ff00ff00ff00ff;
}

/** Remembers the top of the stack. */
export function mark(): i32 {
  return size;
}

/** Takes off everything above the mark. */
export function cut(start: i32): string {
  const text = newText(base + ((<usize>start) << 1), size - start);
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

// These are rare, and apart because fuel is paid for all of a function, whether it runs or not.

function makeRoom(count: i32): void {
  do capacity <<= 1;
  while (count > capacity - size);
  base = heap.realloc(base, (<usize>(capacity + MARGIN)) << 1);
}

function runOut(): void {
  giveUp("too long when expanded");
}
