/** Splits the stdout of a server into lines, in bounded memory. */

const NEWLINE = 0x0a;

/** Calls `onLine` with each line, without its newline. Calls `onTooLong` once, with the bytes of a longer line. */
export class MessageLines {
  readonly #limit: number;
  readonly #onLine: (line: Buffer) => void;
  readonly #onTooLong: (bytes: number) => void;
  #parts: Buffer[] = [];
  #bytes = 0;
  #isClosed = false;

  constructor(limit: number, onLine: (line: Buffer) => void, onTooLong: (bytes: number) => void) {
    this.#limit = limit;
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  take(chunk: Buffer): void {
    let from = 0;
    while (!this.#isClosed) {
      const end = chunk.indexOf(NEWLINE, from);
      this.#keep(chunk.subarray(from, end < 0 ? chunk.length : end));
      if (end < 0) return;
      from = end + 1;
      const line = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts);
      this.#parts = [];
      this.#bytes = 0;
      if (!this.#isClosed) this.#onLine(line);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#parts = [];
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#limit) {
      this.close();
      this.#onTooLong(this.#bytes);
    } else if (part.length > 0) this.#parts.push(part);
  }
}
