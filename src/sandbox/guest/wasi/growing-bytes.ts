/** Collects bytes that arrive in pieces. A full buffer doubles, because a piece may be a single byte. */
export class GrowingBytes {
  #buffer = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.byteLength;
    if (length > this.#buffer.byteLength) {
      const buffer = new Uint8Array(Math.max(length, this.#buffer.byteLength * 2));
      buffer.set(this.written);
      this.#buffer = buffer;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = length;
  }

  /** A view of the collected bytes. */
  get written(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }
}
