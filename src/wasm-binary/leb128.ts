/** Encodes an unsigned number as LEB128, the encoding of counts and sizes in the binary format. */
export function leb128(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest === 0 ? low : low + 128);
  } while (rest !== 0);
  return bytes;
}

/** Encodes a number that is not negative as signed LEB128, the encoding of constants. */
export function signedLeb128(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (;;) {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    if (rest === 0 && low < 64) return [...bytes, low];
    bytes.push(low + 128);
  }
}
