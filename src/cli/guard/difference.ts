/** Where a text that should contain another one leaves it. Offsets of what differs in each, `to` exclusive. */
export interface Difference {
  readonly wantedFrom: number;
  readonly wantedTo: number;
  readonly gotFrom: number;
  readonly gotTo: number;
}

/** `got` is compared from where it follows `wanted` longest. */
export function firstDifference(wanted: string, got: string): Difference {
  let start = 0;
  let shared = 0;
  for (let at = 0; at < got.length && shared < wanted.length; at++) {
    const length = sharedPrefix(wanted, got, at);
    if (length > shared) [start, shared] = [at, length];
  }
  const wantedRest = wanted.length - shared;
  const gotRest = got.length - start - shared;
  let tail = 0;
  while (tail < Math.min(wantedRest, gotRest) && wanted[wanted.length - 1 - tail] === got[got.length - 1 - tail]) {
    tail += 1;
  }
  return {
    wantedFrom: shared,
    wantedTo: wanted.length - tail,
    gotFrom: start + shared,
    gotTo: got.length - tail,
  };
}

function sharedPrefix(wanted: string, got: string, at: number): number {
  let length = 0;
  while (length < wanted.length && at + length < got.length && wanted[length] === got[at + length]) length += 1;
  return length;
}
