import type { Failure } from "../../../outcome.ts";
import type { GuestLog } from "../guest-log.ts";
import { GrowingBytes } from "./growing-bytes.ts";

/** Streams that a guest writes to: its log, line by line, or its answer. */

const NEWLINE = 0x0a;

/** A stream whose lines become log lines. Text that exceeds the log's limit is not searched for line ends. */
export class LineStream {
  readonly #log: GuestLog;
  readonly #level: string;
  /** The current line, which has not ended yet. */
  readonly #line = new GrowingBytes();
  #maxBytes = 0;

  constructor(log: GuestLog, level: string) {
    this.#log = log;
    this.#level = level;
  }

  begin(maxBytes: number): void {
    this.#line.clear();
    this.#maxBytes = maxBytes;
  }

  write(bytes: Uint8Array): void {
    let rest = bytes;
    while (rest.byteLength > 0) {
      if (!this.#log.hasRoom) {
        this.#log.note(this.#level, rest);
        return;
      }
      const end = rest.indexOf(NEWLINE);
      const piece = end < 0 ? rest : rest.subarray(0, end);
      this.#line.append(piece.subarray(0, this.#maxBytes - this.#line.length));
      if (end < 0) return;
      this.#end();
      rest = rest.subarray(end + 1);
    }
  }

  /** Logs the last line, which may have no line end. Called after the call. */
  flush(): void {
    if (this.#line.length > 0) this.#end();
  }

  #end(): void {
    this.#log.note(this.#level, this.#line.written);
    this.#line.clear();
  }
}

/** The stdout of a WASI command, which is its answer. */
export class AnswerStream {
  readonly #refuse: (failure: Failure) => never;
  readonly #bytes = new GrowingBytes();
  #maxBytes = 0;

  constructor(refuse: (failure: Failure) => never) {
    this.#refuse = refuse;
  }

  begin(maxBytes: number): void {
    this.#bytes.clear();
    this.#maxBytes = maxBytes;
  }

  write(bytes: Uint8Array): void {
    const length = this.#bytes.length + bytes.byteLength;
    if (length > this.#maxBytes) {
      this.#refuse({
        kind: "output-too-large",
        message: `output of ${length} bytes or more; the limit is ${this.#maxBytes}`,
        limit: this.#maxBytes,
        value: length,
      });
    }
    this.#bytes.append(bytes);
  }

  /** A view of the answer. */
  get written(): Uint8Array {
    return this.#bytes.written;
  }
}
