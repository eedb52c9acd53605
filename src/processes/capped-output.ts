/** Output of a child process, held in bounded memory. */

/** Keeps all output up to a limit, and nothing above it, because half an answer cannot be used. */
export class CappedHead {
  readonly limit: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Bytes seen so far, kept or not. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes a chunk. Returns `false` once the limit is exceeded. */
  take(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes <= this.limit) this.#chunks.push(chunk);
    else this.#chunks = [];
    return this.#bytes <= this.limit;
  }

  /** Returns the text. Returns `undefined` for invalid UTF-8. */
  text(): string | undefined {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(this.#chunks));
    } catch {
      return undefined;
    }
  }
}

/** Keeps the last bytes of a stream, because the end of error output says what went wrong. */
export class CappedTail {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #held = 0;
  #isCut = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    // The buffer is cut at twice the limit, so that many tiny writes do not cause a copy each.
    if (this.#held > 2 * this.#limit) this.#cut();
  }

  /** Returns the text. Invalid UTF-8 becomes U+FFFD, because a damaged message still helps. */
  text(): string {
    if (this.#held > this.#limit) this.#cut();
    let bytes = Buffer.concat(this.#chunks);
    // The cut may have split a character, so its remaining bytes are removed.
    if (this.#isCut) {
      let start = 0;
      while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
      bytes = bytes.subarray(start);
    }
    return bytes.toString("utf8");
  }

  #cut(): void {
    const all = Buffer.concat(this.#chunks);
    // The bytes are copied, because a view would keep the whole buffer in memory.
    this.#chunks = [Buffer.from(all.subarray(all.length - this.#limit))];
    this.#held = this.#limit;
    this.#isCut = true;
  }
}
