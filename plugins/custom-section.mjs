/** Appends a custom section to a module; engines skip it, the host reads it. */
export function withCustomSection(wasm, name, text) {
  const encoder = new TextEncoder();
  const nameBytes = encoder.encode(name);
  const content = [...leb128(nameBytes.length), ...nameBytes, ...encoder.encode(text)];
  return Uint8Array.from([...wasm, 0, ...leb128(content.length), ...content]);
}

function leb128(value) {
  const bytes = [];
  let rest = value;
  do {
    const more = rest > 0x7f ? 0x80 : 0;
    bytes.push((rest & 0x7f) | more);
    rest >>>= 7;
  } while (rest > 0);
  return bytes;
}
