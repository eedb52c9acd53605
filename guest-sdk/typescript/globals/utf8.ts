/** Appends the UTF-8 bytes of a text. A lone surrogate counts as U+FFFD. */
export function pushUtf8(text: string, bytes: number[]): void {
  for (let index = 0; index < text.length; index++) {
    const code = codePointAt(text, index);
    if (code > 0xffff) index += 1;
    pushCodePoint(code, bytes);
  }
}

/** Returns the code point that begins at a UTF-16 code unit. Returns U+FFFD for a lone surrogate. */
export function codePointAt(text: string, index: number): number {
  const code = text.codePointAt(index) as number;
  return code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
}

export function pushCodePoint(code: number, bytes: number[]): void {
  if (code < 0x80) bytes.push(code);
  else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 0x3f));
  else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
  else {
    bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 0x3f), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
  }
}

/**
 * The decoder of the Encoding standard. It keeps an incomplete character at the end of a chunk for the next chunk. Each
 * longest sequence that could begin a character, but is invalid, becomes one U+FFFD.
 */
export class Utf8Decoder {
  #code = 0;
  #needed = 0;
  #lower = 0x80;
  #upper = 0xbf;

  /** @returns the text, or `undefined` if the bytes are not UTF-8 and `fatal` is set */
  decode(bytes: ArrayLike<number>, isLast: boolean, fatal: boolean): string | undefined {
    const parts: string[] = [];
    let codes: number[] = [];
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index] as number;
      if (this.#needed > 0) {
        if (byte < this.#lower || byte > this.#upper) {
          if (fatal) return undefined;
          this.#reset();
          codes.push(0xfffd);
          index -= 1;
          continue;
        }
        this.#lower = 0x80;
        this.#upper = 0xbf;
        this.#code = (this.#code << 6) | (byte & 0x3f);
        this.#needed -= 1;
        if (this.#needed === 0) codes.push(this.#code);
      } else if (byte < 0x80) codes.push(byte);
      else if (!this.#begin(byte)) {
        if (fatal) return undefined;
        codes.push(0xfffd);
      }
      if (codes.length === 4_096) {
        parts.push(String.fromCodePoint(...codes));
        codes = [];
      }
    }
    if (isLast && this.#needed > 0) {
      this.#reset();
      if (fatal) return undefined;
      codes.push(0xfffd);
    }
    parts.push(String.fromCodePoint(...codes));
    return parts.join("");
  }

  /** The limits of the second byte exclude overlong encodings and surrogates. */
  #begin(byte: number): boolean {
    if (byte >= 0xc2 && byte <= 0xdf) {
      this.#needed = 1;
      this.#code = byte & 0x1f;
    } else if (byte >= 0xe0 && byte <= 0xef) {
      if (byte === 0xe0) this.#lower = 0xa0;
      if (byte === 0xed) this.#upper = 0x9f;
      this.#needed = 2;
      this.#code = byte & 0xf;
    } else if (byte >= 0xf0 && byte <= 0xf4) {
      if (byte === 0xf0) this.#lower = 0x90;
      if (byte === 0xf4) this.#upper = 0x8f;
      this.#needed = 3;
      this.#code = byte & 0x7;
    } else return false;
    return true;
  }

  #reset(): void {
    this.#code = 0;
    this.#needed = 0;
    this.#lower = 0x80;
    this.#upper = 0xbf;
  }
}
