/**
 * Memory is restored in cards. The rewritten module sets a bit of one number for each card that it writes. The number has
 * 64 bits, so cards whose numbers differ by 64 share a bit.
 */
export const CARD_SHIFT = 15;
export const CARD_BYTES = 2 ** CARD_SHIFT;
export const ALL_CARDS = -1n;

/** The longest store writes 16 bytes, and marks only the card of its first byte. */
const OVERLAP_BYTES = 15;

/** Returns the bits of the cards that contain these bytes. */
export function cardsOf(address: number, bytes: number): bigint {
  if (bytes > CARD_BYTES * 62) return ALL_CARDS;
  let cards = 0n;
  const first = Math.floor(address / CARD_BYTES);
  for (let card = first; card * CARD_BYTES < address + bytes; card++) cards |= 1n << BigInt(card & 63);
  return cards;
}

/** Returns the ranges of a memory that the marked cards cover. Cards without a gap are one range. */
export function markedRanges(marks: bigint, memoryBytes: number): readonly (readonly [start: number, end: number])[] {
  const halves = [Number(marks & 0xffff_ffffn), Number((marks >> 32n) & 0xffff_ffffn)] as const;
  const isMarked = (card: number): boolean => (((halves[(card >> 5) & 1] ?? 0) >>> (card & 31)) & 1) === 1;
  const ranges: [start: number, end: number][] = [];
  let card = 0;
  while (card * CARD_BYTES < memoryBytes) {
    const first = card;
    while (card * CARD_BYTES < memoryBytes && isMarked(card)) card += 1;
    if (card > first) ranges.push([first * CARD_BYTES, Math.min(card * CARD_BYTES + OVERLAP_BYTES, memoryBytes)]);
    else card += 1;
  }
  return ranges;
}
