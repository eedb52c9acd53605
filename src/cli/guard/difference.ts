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
  const gotFrom = start + shared;
  const end = endOf(wanted.slice(shared), got.slice(gotFrom));
  return { wantedFrom: shared, wantedTo: shared + end.wanted, gotFrom, gotTo: gotFrom + end.got };
}

/** Where both go on alike: at the longest end of `wanted` that `got` has, too. */
function endOf(wanted: string, got: string): { readonly wanted: number; readonly got: number } {
  for (let at = 0; at < wanted.length; at++) {
    const found = got.indexOf(wanted.slice(at));
    if (found >= 0) return { wanted: at, got: found };
  }
  return { wanted: wanted.length, got: got.length };
}

function sharedPrefix(wanted: string, got: string, at: number): number {
  let length = 0;
  while (length < wanted.length && at + length < got.length && wanted[length] === got[at + length]) length += 1;
  return length;
}
