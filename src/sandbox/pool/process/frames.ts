/**
 * Messages between an engine and its sandbox processes. A frame is two lengths, one line of JSON, and then bytes. A
 * frame from a process may come from a guest that broke out of WebAssembly. Therefore frames are never passed to
 * `v8.deserialize`, which creates objects from bytes, and every length is checked before memory is allocated.
 */

export interface Frame {
  /** Any JSON value. The reader must check its shape. */
  readonly message: unknown;
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
}

export interface FrameLimits {
  readonly messageBytes: number;
  readonly partsBytes: number;
  readonly parts: number;
}

/** Thrown for bytes that are not a frame, or a message that is not allowed now. The sender is killed. */
export class ProtocolBreach extends Error {
  override readonly name = "ProtocolBreach";
}

const PRELUDE_BYTES = 8;

export function encodeFrame(message: unknown, parts: readonly (Uint8Array | string)[] = []): Buffer {
  const bytes = parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part));
  const head = Buffer.from(JSON.stringify([message, ...bytes.map(({ byteLength }) => byteLength)]));
  const prelude = Buffer.allocUnsafe(PRELUDE_BYTES);
  prelude.writeUInt32LE(head.byteLength, 0);
  prelude.writeUInt32LE(
    bytes.reduce((sum, { byteLength }) => sum + byteLength, 0),
    4,
  );
  return Buffer.concat([prelude, head, ...bytes]);
}

/** Assembles frames from pieces of any size. Copies each piece, so that the caller may reuse its buffer. */
export class FrameReader {
  readonly #limits: FrameLimits;
  #pieces: Buffer[] = [];
  #arrived = 0;
  #needed = PRELUDE_BYTES;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  /**
   * Yields the frames that this piece completes, one by one, so that the caller can stop at a frame that it rejects.
   * Throws {@link ProtocolBreach}.
   */
  *push(piece: Uint8Array): Generator<Frame, void, void> {
    this.#keep(Buffer.from(piece));
    while (this.#arrived >= this.#needed) {
      const arrived = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
      const headEnd = PRELUDE_BYTES + arrived.readUInt32LE(0);
      const end = headEnd + arrived.readUInt32LE(4);
      this.#check(headEnd - PRELUDE_BYTES, end - headEnd);
      const isWhole = arrived.byteLength >= end;
      this.#needed = isWhole ? PRELUDE_BYTES : end;
      this.#pieces = [];
      this.#arrived = 0;
      this.#keep(isWhole ? arrived.subarray(end) : arrived);
      if (isWhole) yield this.#decode(arrived, headEnd, end);
    }
  }

  #keep(piece: Buffer): void {
    if (piece.byteLength > 0) this.#pieces.push(piece);
    this.#arrived += piece.byteLength;
  }

  #check(messageBytes: number, partsBytes: number): void {
    if (messageBytes <= this.#limits.messageBytes && partsBytes <= this.#limits.partsBytes) return;
    throw new ProtocolBreach(
      `announced a message of ${messageBytes} bytes with ${partsBytes} bytes after it, over the limit`,
    );
  }

  #decode(arrived: Buffer, headEnd: number, end: number): Frame {
    const [message, ...lengths] = headOf(arrived.subarray(PRELUDE_BYTES, headEnd));
    if (lengths.length > this.#limits.parts) throw new ProtocolBreach(`sent ${lengths.length} parts`);
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let start = headEnd;
    for (const length of lengths) {
      if (typeof length !== "number" || !Number.isSafeInteger(length) || length < 0 || length > end - start) {
        throw new ProtocolBreach("sent a part with an invalid length");
      }
      parts.push(Uint8Array.from(arrived.subarray(start, start + length)));
      start += length;
    }
    if (start !== end) throw new ProtocolBreach(`sent ${end - start} bytes that belong to no part`);
    return { message, parts };
  }
}

function headOf(bytes: Buffer): readonly unknown[] {
  let head: unknown;
  try {
    head = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new ProtocolBreach("sent invalid JSON");
  }
  if (!Array.isArray(head) || head.length === 0) throw new ProtocolBreach("sent JSON that is not a message");
  return head;
}
