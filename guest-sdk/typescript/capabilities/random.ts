import type { Host } from "../host.ts";

/**
 * Chance, for guards that want `random`. `Math.random` draws from the same. By default the same event draws the same
 * numbers; where the rule says `"real"`, nobody can foresee them.
 */
export interface Random {
  /** From 0, included, to 1, excluded. */
  next(): number;
  /** A whole number from 0 to `below - 1`, each as likely as the others. `below` is at least 1. */
  int(below: number): number;
  bytes(count: number): Uint8Array;
}

/** A draw has 53 bits: with more numbers than this, some would be seen to be likelier than others. */
const MOST = 2 ** 32;

export function makeRandom({ random }: Host): Random {
  const int = (below: number): number => {
    if (!Number.isInteger(below) || below < 1 || below > MOST) {
      throw new TypeError(`random: int wants a whole number from 1 to 2 ** 32, got ${String(below)}`);
    }
    return Math.floor(random() * below);
  };
  return Object.freeze({
    next: () => random(),
    int,
    bytes(count: number) {
      if (!Number.isInteger(count) || count < 0) {
        throw new TypeError(`random: bytes wants a whole number from 0, got ${String(count)}`);
      }
      return Uint8Array.from({ length: count }, () => int(256));
    },
  });
}
