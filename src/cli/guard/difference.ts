/** The place where two texts differ, as offsets in each text. The `To` offsets are exclusive. */
interface Difference {
  readonly wantedFrom: number;
  readonly wantedTo: number;
  readonly gotFrom: number;
  readonly gotTo: number;
}

/**
 * Returns the first difference between `wanted` and a text that should contain it. Aligns the texts at the beginning or
 * at the end of `wanted`, whichever has the longer part in common with `got`.
 */
export function firstDifference(wanted: string, got: string): Difference {
  const beginning = longestBeginning(wanted, got);
  const end = longestEnd(wanted, got);
  if (wanted.length - end.wanted > beginning.length) {
    const from = Math.max(0, end.got - end.wanted);
    const shared = sharedPrefix(wanted.slice(0, end.wanted), got.slice(0, end.got), from);
    return { wantedFrom: shared, wantedTo: end.wanted, gotFrom: from + shared, gotTo: end.got };
  }
  const gotFrom = beginning.got + beginning.length;
  const rest = longestEnd(wanted.slice(beginning.length), got.slice(gotFrom));
  return {
    wantedFrom: beginning.length,
    wantedTo: beginning.length + rest.wanted,
    gotFrom,
    gotTo: gotFrom + rest.got,
  };
}

function longestBeginning(wanted: string, got: string): { readonly got: number; readonly length: number } {
  let longest = { got: 0, length: 0 };
  for (let at = 0; at < got.length && longest.length < wanted.length; at++) {
    const length = sharedPrefix(wanted, got, at);
    if (length > longest.length) longest = { got: at, length };
  }
  return longest;
}

/** Finds the longest end of `wanted` that is in `got`. Returns the start of this end in each text. */
function longestEnd(wanted: string, got: string): { readonly wanted: number; readonly got: number } {
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
