import { leb128, signedLeb128 } from "../../wasm-binary/leb128.ts";
import { type MemoryImage, writeImage } from "../guest/memory-image.ts";
import { PAGE_BYTES } from "./module-limits.ts";

/** Returns the content of a guard's data section. Guards that ship have only the difference to their common base. */
export function wholeData(guard: Pick<MemoryImage, "pages" | "base" | "data">): Uint8Array {
  if (guard.base === undefined) return guard.data;
  const memory = new Uint8Array(guard.pages * PAGE_BYTES);
  writeImage(memory, guard);
  return dataSection(memory);
}

/**
 * Returns the content of a data section that turns `base` into `memory`. Leaves out bytes that are the same in both.
 * Default for `base`, and for memory after it: zeros, with which memory starts.
 */
export function dataSection(memory: Uint8Array, base: Uint8Array = new Uint8Array(0)): Uint8Array {
  const segments = segmentsOf(memory, base);
  const pieces: Uint8Array[] = [Uint8Array.from(leb128(segments.length))];
  for (const { start, end } of segments) {
    pieces.push(Uint8Array.from([ACTIVE, I32_CONST, ...signedLeb128(start), END, ...leb128(end - start)]));
    pieces.push(memory.subarray(start, end));
  }
  return Buffer.concat(pieces);
}

interface Segment {
  readonly start: number;
  readonly end: number;
}

const ACTIVE = 0;
const I32_CONST = 0x41;
const END = 0x0b;

/** The minimum length of a gap between segments, because another segment costs bytes and a copy. */
const MIN_GAP_BYTES = 24;

function segmentsOf(memory: Uint8Array, base: Uint8Array): Segment[] {
  const segments: Segment[] = [];
  const isSame = (address: number): boolean => memory[address] === (base[address] ?? 0);
  let at = 0;
  for (;;) {
    while (at < memory.length && isSame(at)) at += 1;
    if (at === memory.length) return segments;
    const start = at;
    let end = at;
    while (at < memory.length && at - end < MIN_GAP_BYTES) {
      if (!isSame(at)) end = at + 1;
      at += 1;
    }
    segments.push({ start, end });
  }
}
