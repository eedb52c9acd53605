import { leb128, signedLeb128 } from "../../wasm-binary/leb128.ts";

/** Returns the content of a data section that produces `memory`. Leaves out zeros, because memory starts with zeros. */
export function dataSection(memory: Uint8Array): Uint8Array {
  const segments = segmentsOf(memory);
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

function segmentsOf(memory: Uint8Array): Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  for (;;) {
    while (at < memory.length && memory[at] === 0) at += 1;
    if (at === memory.length) return segments;
    const start = at;
    let end = at;
    while (at < memory.length && at - end < MIN_GAP_BYTES) {
      if (memory[at] !== 0) end = at + 1;
      at += 1;
    }
    segments.push({ start, end });
  }
}
