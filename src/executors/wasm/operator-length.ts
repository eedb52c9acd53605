/**
 * How many bytes an instruction takes, read without the parser.
 *
 * A module and its parser must not be able to disagree on where instructions begin: an immediate in a longer spelling
 * than the parser expects would turn data into code, or code into data, and what is charged for would not be what
 * runs. So two readers have to agree on every instruction. This one knows the allow-list and nothing else.
 */

/** `undefined` for an instruction outside of the allow-list, or one that does not end. */
export function operatorLength(bytes: Uint8Array, start: number): number | undefined {
  const cursor = new Cursor(bytes, start);
  const known = skipOperator(cursor);
  return known && !cursor.failed ? cursor.at - start : undefined;
}

class Cursor {
  readonly #bytes: Uint8Array;
  at: number;
  failed = false;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  byte(): number {
    const value = this.#bytes[this.at];
    if (value === undefined) this.failed = true;
    this.at += 1;
    return value ?? 0;
  }

  /** The value's low 32 bits; enough for flags, counts and opcodes. */
  leb(maxBytes = 5): number {
    let value = 0;
    for (let index = 0; index < maxBytes; index++) {
      const byte = this.byte();
      value = (value | ((byte & 0x7f) << (7 * index))) >>> 0;
      if (byte < 0x80) return value;
    }
    this.failed = true;
    return value;
  }

  skip(count: number): void {
    this.at += count;
    if (this.at > this.#bytes.byteLength) this.failed = true;
  }
}

const LEB_64_BYTES = 10;
/** Alignment and offset. Bit 6 of the alignment announces the index of a memory: there is only one. */
const MAX_ALIGNMENT = 0x3f;

function skipOperator(cursor: Cursor): boolean {
  const code = cursor.byte();
  if (code === 0xfc) return skipBulk(cursor);
  if (code === 0xfd) return skipVector(cursor);
  if (code <= 0x01 || code === 0x05 || code === 0x0b || code === 0x0f || code === 0x1a || code === 0x1b) return true;
  if (code >= 0x02 && code <= 0x04) return skipBlockType(cursor);
  if (code === 0x0e) return skipLebs(cursor, cursor.leb() + 1);
  if (code === 0x11) return skipLebs(cursor, 2);
  if (code === 0x1c) return skipLebs(cursor, cursor.leb());
  if (code === 0x0c || code === 0x0d || code === 0x10 || (code >= 0x20 && code <= 0x26)) return skipLebs(cursor, 1);
  if (code >= 0x28 && code <= 0x3e) return skipMemoryArgument(cursor);
  if (code === 0x3f || code === 0x40 || code === 0xd0 || code === 0xd2) return skipLebs(cursor, 1);
  if (code === 0x41 || code === 0x42) {
    cursor.leb(LEB_64_BYTES);
    return true;
  }
  if (code === 0x43 || code === 0x44) {
    cursor.skip(code === 0x43 ? 4 : 8);
    return true;
  }
  return (code >= 0x45 && code <= 0xc4) || code === 0xd1;
}

function skipBulk(cursor: Cursor): boolean {
  const code = cursor.leb();
  if (code <= 7) return true;
  const indices = [2, 1, 2, 1, 2, 1, 2, 1, 1, 1][code - 8];
  return indices !== undefined && skipLebs(cursor, indices);
}

function skipVector(cursor: Cursor): boolean {
  const code = cursor.leb();
  if (code <= 11 || code === 92 || code === 93) return skipMemoryArgument(cursor);
  if (code === 12 || code === 13) cursor.skip(16);
  else if (code >= 21 && code <= 34) cursor.skip(1);
  else if (code >= 84 && code <= 91) {
    if (!skipMemoryArgument(cursor)) return false;
    cursor.skip(1);
  }
  return code <= 255;
}

function skipMemoryArgument(cursor: Cursor): boolean {
  if (cursor.leb() > MAX_ALIGNMENT) return false;
  cursor.leb(LEB_64_BYTES);
  return true;
}

/** Empty, a value type, or the index of a function type. */
function skipBlockType(cursor: Cursor): boolean {
  const type = cursor.leb();
  // Reference types of the garbage-collection proposal have a second part.
  return type !== 0x63 && type !== 0x64;
}

function skipLebs(cursor: Cursor, count: number): boolean {
  for (let index = 0; index < count && !cursor.failed; index++) cursor.leb();
  return true;
}
