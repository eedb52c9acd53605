/**
 * What an instruction does to the height of the operand stack: the values that it leaves, less those that it takes.
 * Blocks, branches and calls depend on types, and are not in these tables.
 */

type Range = readonly [first: number, last: number, change: number];

const PLAIN: readonly Range[] = [
  [0x04, 0x04, -1],
  [0x0d, 0x0e, -1],
  [0x11, 0x11, -1],
  [0x1a, 0x1a, -1],
  [0x1b, 0x1c, -2],
  [0x20, 0x20, 1],
  [0x21, 0x21, -1],
  [0x23, 0x23, 1],
  [0x24, 0x24, -1],
  [0x26, 0x26, -2],
  [0x36, 0x3e, -2],
  [0x3f, 0x3f, 1],
  [0x41, 0x44, 1],
  [0x46, 0x4f, -1],
  [0x51, 0x66, -1],
  [0x6a, 0x78, -1],
  [0x7c, 0x8a, -1],
  [0x92, 0x98, -1],
  [0xa0, 0xa6, -1],
  [0xd0, 0xd0, 1],
  [0xd2, 0xd2, 1],
];

const BULK: readonly Range[] = [
  [8, 8, -3],
  [10, 12, -3],
  [14, 14, -3],
  [15, 15, -1],
  [16, 16, 1],
  [17, 17, -3],
];

/** From 96 on most vector instructions take two and leave one; these take one. */
const VECTOR: readonly Range[] = [
  [11, 11, -2],
  [12, 12, 1],
  [13, 14, -1],
  [23, 23, -1],
  [26, 26, -1],
  [28, 28, -1],
  [30, 30, -1],
  [32, 32, -1],
  [34, 76, -1],
  [78, 81, -1],
  [82, 82, -2],
  [84, 87, -1],
  [88, 91, -2],
  [96, 100, 0],
  [103, 106, 0],
  [116, 117, 0],
  [122, 122, 0],
  [124, 129, 0],
  [131, 132, 0],
  [135, 138, 0],
  [148, 148, 0],
  [160, 161, 0],
  [163, 164, 0],
  [167, 170, 0],
  [192, 193, 0],
  [195, 196, 0],
  [199, 202, 0],
  [224, 225, 0],
  [227, 227, 0],
  [236, 237, 0],
  [239, 239, 0],
  [248, 255, 0],
  [101, 247, -1],
];

function tableOf(ranges: readonly Range[]): Int8Array {
  const table = new Int8Array(256);
  for (const [first, last, change] of ranges.toReversed()) table.fill(change, first, last + 1);
  return table;
}

const TABLES = { plain: tableOf(PLAIN), bulk: tableOf(BULK), vector: tableOf(VECTOR) };

/** `code` as the reader of operators gives it. */
export function heightChange(code: number): number {
  if (code <= 0xff) return TABLES.plain[code] ?? 0;
  return (code >> 8 === 0xfc ? TABLES.bulk : TABLES.vector)[code & 0xff] ?? 0;
}
