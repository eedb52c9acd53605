/** What a child process wrote, held in bounded memory however much it writes. */

/** Everything up to a cap, and after that nothing: half an answer is no answer. */
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

  /** False once the cap is passed. */
  take(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes <= this.limit) this.#chunks.push(chunk);
    else this.#chunks = [];
    return this.#bytes <= this.limit;
  }

  /** `undefined` when it is not UTF-8. */
  text(): string | undefined {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(this.#chunks));
    } catch {
      return undefined;
    }
  }
}

/** The last bytes of a stream: of an error output, the end says why. */
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
    // Cut at twice the cap rather than at the cap, so that a flood of tiny writes is not copied at each of them.
    if (this.#held > 2 * this.#limit) this.#cut();
  }

  /** Invalid UTF-8 becomes U+FFFD: a broken message still helps. */
  text(): string {
    if (this.#held > this.#limit) this.#cut();
    let bytes = Buffer.concat(this.#chunks);
    // The cut may have gone through a character; its remaining bytes say nothing.
    if (this.#isCut) {
      let start = 0;
      while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
      bytes = bytes.subarray(start);
    }
    return bytes.toString("utf8");
  }

  #cut(): void {
    const all = Buffer.concat(this.#chunks);
    // A copy, because a view would keep all of it alive.
    this.#chunks = [Buffer.from(all.subarray(all.length - this.#limit))];
    this.#held = this.#limit;
    this.#isCut = true;
  }
}
