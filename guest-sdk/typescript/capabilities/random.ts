import type { Host } from "../host.ts";

/**
 * Random numbers, for guards that want `random`. `Math.random` uses the same source. By default the same event gets the
 * same numbers; if the rule says `"real"`, they are unpredictable.
 */
export interface Random {
  /** Returns a number from 0 (included) to 1 (excluded). */
  next(): number;
  /** Returns a whole number from 0 to `below - 1`, all equally likely. `below` is at least 1. */
  int(below: number): number;
  bytes(count: number): Uint8Array;
}

/**
 * The maximum of `below`. One draw has 53 bits, so with a higher limit some numbers would be noticeably more likely.
 */
const MOST = 2 ** 32;

export function makeRandom({ random }: Host): Random {
  const int = (below: number): number => {
    if (!Number.isInteger(below) || below < 1 || below > MOST) {
      throw new TypeError(`random: int expects a whole number from 1 to 2 ** 32, got ${String(below)}`);
    }
    return Math.floor(random() * below);
  };
  return Object.freeze({
    next: () => random(),
    int,
    bytes(count: number) {
      if (!Number.isInteger(count) || count < 0) {
        throw new TypeError(`random: bytes expects a whole number of at least 0, got ${String(count)}`);
      }
      return Uint8Array.from({ length: count }, () => int(256));
    },
  });
}
