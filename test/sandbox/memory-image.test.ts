import { describe, expect, test } from "vitest";
import { segmentsOf } from "../../src/sandbox/guest/memory-image.ts";

/** A data section is recognised only if each count, offset and length has its shortest encoding. */

const NO_NUMBERS: readonly (readonly [what: string, bytes: readonly number[]])[] = [
  ["goes on for five bytes", [0x80, 0x80, 0x80, 0x80, 0x80]],
  ["goes on for six bytes", [0x81, 0x80, 0x80, 0x80, 0x80, 0x00]],
  ["has more than 32 bits", [0xff, 0xff, 0xff, 0xff, 0x7f]],
  ["is written longer than need be", [0x81, 0x00]],
  ["ends in its middle", [0x81]],
];
const SEGMENT = [0, 0x41, 0, 0x0b, 1, 7];

describe("a data section", () => {
  test("is read", () => {
    expect(segmentsOf(Uint8Array.from([1, ...SEGMENT]), 1)).toEqual([{ address: 0, start: 6, end: 7 }]);
    expect(segmentsOf(Uint8Array.from([0]), 0)).toEqual([]);
  });

  test.each(NO_NUMBERS)("is not recognised if a count, offset or length %s", (_, bytes) => {
    for (const before of [[], [1, 0, 0x41], [1, 0, 0x41, 0, 0x0b]])
      for (const after of [[], [0x0b, 1, 7], [7], SEGMENT])
        expect(segmentsOf(Uint8Array.from([...before, ...bytes, ...after]), 65_536)).toBeUndefined();
  });

  test("is not recognised at a negative offset", () => {
    expect(segmentsOf(Uint8Array.from([1, 0, 0x41, 0x7f, 0x0b, 1, 7]), 1)).toBeUndefined();
  });

  test.each([Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY])("does not fit into a memory of %s pages", (pages) => {
    for (const content of [[0], [1, ...SEGMENT]]) expect(segmentsOf(Uint8Array.from(content), pages)).toBeUndefined();
  });
});
