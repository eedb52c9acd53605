/**
 * Returns the first custom section named `wanted`, without compiling the module. The module must have been admitted.
 */
export function customSection(module: Uint8Array, wanted: string): Uint8Array | undefined {
  const name = Buffer.from(wanted);
  let at = 8;
  while (at < module.byteLength) {
    const id = module[at];
    const size = leb128At(module, at + 1);
    const end = size.end + size.value;
    if (id === 0) {
      const length = leb128At(module, size.end);
      const content = length.end + length.value;
      if (name.equals(module.subarray(length.end, content))) return module.subarray(content, end);
    }
    at = end;
  }
  return undefined;
}

function leb128At(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  let at = start;
  for (let factor = 1; ; factor *= 128) {
    const byte = bytes[at] ?? 0;
    at += 1;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return { value, end: at };
  }
}
