import { leb128 } from "../wasm-binary/leb128.ts";

/** Appends a custom section to a module. WebAssembly engines ignore the section; the host reads it. */
export function withCustomSection(wasm: Uint8Array, name: string, text: string): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const nameBytes = encoder.encode(name);
  const textBytes = encoder.encode(text);
  const nameLength = leb128(nameBytes.byteLength);
  const contentBytes = nameLength.length + nameBytes.byteLength + textBytes.byteLength;
  const parts = [wasm, [0, ...leb128(contentBytes)], nameLength, nameBytes, textBytes];
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
