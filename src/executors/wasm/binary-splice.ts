/** Replaces one section of a module. */

/** `section` spans the old section with its header; `body` is the new one without. */
export function spliceSection(
  file: Uint8Array<ArrayBuffer>,
  section: { readonly start: number; readonly end: number },
  id: number,
  body: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const header = [id, ...leb128(body.byteLength)];
  const rest = file.subarray(section.end);
  const spliced = new Uint8Array(section.start + header.length + body.byteLength + rest.byteLength);
  spliced.set(file.subarray(0, section.start));
  spliced.set(header, section.start);
  spliced.set(body, section.start + header.length);
  spliced.set(rest, section.start + header.length + body.byteLength);
  return spliced;
}

/** Unsigned LEB128, as the binary format writes counts and sizes. */
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
