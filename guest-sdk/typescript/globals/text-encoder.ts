import { codePointAt, pushCodePoint, pushUtf8 } from "./utf8.ts";

/** Encodes text as UTF-8, as the Encoding standard says. */
export class TextEncoder {
  get encoding(): "utf-8" {
    return "utf-8";
  }

  encode(input = ""): Uint8Array<ArrayBuffer> {
    const bytes: number[] = [];
    pushUtf8(String(input), bytes);
    return new Uint8Array(bytes);
  }

  /** Fills `destination` with whole characters only. */
  encodeInto(source: string, destination: Uint8Array): { read: number; written: number } {
    const text = String(source);
    let read = 0;
    let written = 0;
    while (read < text.length) {
      const code = codePointAt(text, read);
      const bytes: number[] = [];
      pushCodePoint(code, bytes);
      if (written + bytes.length > destination.length) break;
      destination.set(bytes, written);
      written += bytes.length;
      read += code > 0xffff ? 2 : 1;
    }
    return { read, written };
  }
}
