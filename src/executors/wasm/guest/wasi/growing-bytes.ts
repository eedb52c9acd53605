/** Bytes that come piece by piece. The room for them doubles: a piece may be a single byte. */
export class GrowingBytes {
  #room = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.byteLength;
    if (length > this.#room.byteLength) {
      const room = new Uint8Array(Math.max(length, this.#room.byteLength * 2));
      room.set(this.written);
      this.#room = room;
    }
    this.#room.set(bytes, this.#length);
    this.#length = length;
  }

  /** A view. */
  get written(): Uint8Array {
    return this.#room.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }
}
