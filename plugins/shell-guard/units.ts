// What the standard library does with strings, for the places that every command passes. Comparing is done in place,
// four units at a time: most names differ in their length already, and then nothing is called.
//
// Steps of four units reach up to three units past the end of a string. The arena leaves room for that.

/** Where the units of a text stand. */
// @ts-ignore: decorator
@inline
export function addressOf(text: string): usize {
  return changetype<usize>(text);
}

/** Its length, as it is kept in front of it. */
// @ts-ignore: decorator
@inline
function bytesOf(text: string): u32 {
  return load<u32>(addressOf(text) - 4);
}

/** The unit at a place that is known to be in the text. */
// @ts-ignore: decorator
@inline
export function unitAt(text: string, at: i32): i32 {
  return <i32>load<u16>(addressOf(text) + ((<usize>at) << 1));
}

/** Equal texts. */
// @ts-ignore: decorator
@inline
export function same(one: string, other: string): bool {
  return bytesOf(one) === bytesOf(other) && hasUnits(addressOf(one), addressOf(other), one.length);
}

export function isOneOf(list: StaticArray<string>, text: string): bool {
  const size = bytesOf(text);
  let at = changetype<usize>(list);
  const end = at + ((<usize>list.length) << alignof<string>());
  while (true) {
    // Most entries are of another length. A loop of its own pays for nothing but that.
    while (at < end && bytesOf(load<string>(at)) !== size) at += sizeof<string>();
    if (at === end) return false;
    if (hasUnits(load<usize>(at), addressOf(text), text.length)) return true;
    at += sizeof<string>();
  }
}

/** The place of the next entry that begins with this unit, or the length of the list. No entry may be empty. */
export function nextWith(list: StaticArray<string>, first: i32, from: i32): i32 {
  const size = list.length;
  while (from < size && unitAt(unchecked(list[from]), 0) !== first) from++;
  return from;
}

export function startsWith(text: string, start: string): bool {
  return text.length >= start.length && hasUnits(addressOf(text), addressOf(start), start.length);
}

/** The same units at both places. */
export function hasUnits(at: usize, other: usize, count: i32): bool {
  for (; count >= 4; count -= 4) {
    if (load<u64>(at) !== load<u64>(other)) return false;
    at += 8;
    other += 8;
  }
  // The first units of the last step are its low bits.
  return count === 0 || (load<u64>(at) ^ load<u64>(other)) << ((4 - <u64>count) << 4) === 0;
}

/** Where a unit stands next, or -1. */
export function findUnit(text: string, unit: i32, from: i32): i32 {
  const pattern = <u64>unit * 0x0001000100010001;
  const start = addressOf(text);
  const end = start + ((<usize>text.length) << 1);
  let at = start + ((<usize>from) << 1);
  while (at < end && equalUnits(load<u64>(at), pattern) === 0) at += 8;
  if (at >= end) return -1;
  at += <usize>(ctz(equalUnits(load<u64>(at), pattern)) >> 4) << 1;
  return at < end ? <i32>((at - start) >> 1) : -1;
}

/** The lowest bit that is set is in the first unit that both have at the same place. */
// @ts-ignore: decorator
@inline
function equalUnits(units: u64, others: u64): u64 {
  const difference = units ^ others;
  return (difference - 0x0001000100010001) & ~difference & 0x8000800080008000;
}

/** May write up to three units too many. */
export function copyUnits(to: usize, from: usize, count: i32): void {
  const end = to + ((<usize>count) << 1);
  while (to < end) {
    store<u64>(to, load<u64>(from));
    to += 8;
    from += 8;
  }
}

/** A text of its own made of these units. As the newest object it may write past its end. */
export function newText(from: usize, count: i32): string {
  // @ts-ignore: of the runtime, see arena.ts
  const address = __new((<usize>count) << 1, idof<string>());
  copyUnits(address, from, count);
  return changetype<string>(address);
}

/** The units from one place to another, both of which are known to be in the text. */
export function part(text: string, start: i32, end: i32): string {
  return newText(addressOf(text) + ((<usize>start) << 1), end - start);
}

/** Eight units of an ASCII text as eight bytes. */
export function asciiAt(text: string, at: i32): u64 {
  const address = addressOf(text) + ((<usize>at) << 1);
  return <u64>narrow(load<u64>(address)) | (<u64>narrow(load<u64>(address + 8)) << 32);
}

/** Are these bytes, of which there may be more, this ASCII text? */
export function hasAscii(at: usize, text: string): bool {
  const size = text.length;
  for (let i = 0; i < size; i += 8) {
    const left = size - i;
    const difference = load<u64>(at + i) ^ asciiAt(text, i);
    if ((left >= 8 ? difference : difference << ((8 - <u64>left) << 3)) !== 0) return false;
  }
  return true;
}

function narrow(units: u64): u32 {
  const bytes = units & 0x007f007f007f007f;
  const pairs = (bytes | (bytes >> 8)) & 0x0000ffff0000ffff;
  return <u32>(pairs | (pairs >> 16));
}
