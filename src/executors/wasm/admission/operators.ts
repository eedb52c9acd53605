/**
 * Where the instructions of a function begin and end.
 *
 * The parser that reads the rest of a module takes some immediates for one byte that may be longer (the table of a
 * `call_indirect`, which LLVM pads), or does not know them (the index of a memory). What is data would then be read
 * as code, and what is charged for would not be what runs. This reader knows the allow-list, in full, and nothing else.
 */

export interface Operator {
  /** The opcode; with a prefix, the prefix is in front: `0xfc0b` is `memory.fill`. */
  readonly code: number;
  readonly start: number;
  readonly end: number;
  /** The first immediate, where it is an index. */
  readonly index: number;
}

/** An instruction outside of the allow-list. */
export class RefusedOperator extends Error {
  readonly code: number;

  constructor(code: number, at: number) {
    super(`the instruction 0x${code.toString(16)} at byte ${at}`);
    this.code = code;
  }
}

const LEB_64_BYTES = 10;
/** Bit 6 of a memory argument's first number announces the index of a memory: there is only one. */
const MAX_ALIGNMENT = 0x3f;

/** Reads the numbers of a valid module, from a place on. */
export class Cursor {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  byte(): number {
    const value = this.#bytes[this.at];
    if (value === undefined) throw new RangeError("the module ends in the middle of something");
    this.at += 1;
    return value;
  }

  /** An unsigned number; of longer ones the low 32 bits. */
  leb(maxBytes = 5): number {
    let value = 0;
    for (let index = 0; index < maxBytes; index++) {
      const byte = this.byte();
      if (index < 5) value = (value | ((byte & 0x7f) << (7 * index))) >>> 0;
      if (byte < 0x80) return value;
    }
    throw new RangeError(`a number that does not end at byte ${this.at}`);
  }

  lebs(count: number): void {
    for (let index = 0; index < count; index++) this.leb();
  }

  operator(): Operator {
    const start = this.at;
    const first = this.byte();
    const code = first === 0xfc || first === 0xfd ? prefixed(first, this.leb()) : first;
    const indexAt = this.at;
    if (!this.#skipImmediates(code)) throw new RefusedOperator(code, start);
    const end = this.at;
    // What follows a prefixed opcode, or stands in a constant, may be any bytes.
    const index =
      end === indexAt || code === 0x44 || code === 0x43 || code > 0xff
        ? 0
        : new Cursor(this.#bytes, indexAt).leb(LEB_64_BYTES);
    return { code, start, end, index };
  }

  /** `false` for an instruction outside of the allow-list. */
  #skipImmediates(code: number): boolean {
    if (code > 0xff) return code >> 8 === 0xfc ? this.#skipBulk(code & 0xff) : this.#skipVector(code & 0xfff);
    if (code <= 0x01 || code === 0x05 || code === 0x0b || code === 0x0f || code === 0x1a || code === 0x1b) return true;
    if (code >= 0x02 && code <= 0x04) return this.#skipBlockType();
    if (code === 0x0e) this.lebs(this.leb() + 1);
    else if (code === 0x11) this.lebs(2);
    else if (code === 0x1c) return this.#skipTypes(this.leb());
    else if (code === 0xd0) return REFERENCES.has(this.byte());
    else if (INDEXED.has(code)) this.lebs(1);
    else if (code >= 0x28 && code <= 0x3e) return this.#skipMemoryArgument();
    else if (code === 0x41 || code === 0x42) this.leb(LEB_64_BYTES);
    else if (code === 0x43 || code === 0x44) this.at += code === 0x43 ? 4 : 8;
    else return (code >= 0x45 && code <= 0xc4) || code === 0xd1;
    return true;
  }

  #skipTypes(count: number): boolean {
    for (let index = 0; index < count; index++) if (!VALUE_TYPES.has(this.byte())) return false;
    return true;
  }

  #skipBulk(code: number): boolean {
    const indices = code <= 7 ? 0 : [2, 1, 2, 1, 2, 1, 2, 1, 1, 1][code - 8];
    if (indices === undefined) return false;
    this.lebs(indices);
    return true;
  }

  #skipVector(code: number): boolean {
    if (code <= 11 || code === 92 || code === 93) return this.#skipMemoryArgument();
    if (code === 12 || code === 13) this.at += 16;
    else if (code >= 21 && code <= 34) this.at += 1;
    else if (code >= 84 && code <= 91) {
      if (!this.#skipMemoryArgument()) return false;
      this.at += 1;
    }
    return code <= 255;
  }

  #skipMemoryArgument(): boolean {
    if (this.leb() > MAX_ALIGNMENT) return false;
    this.leb(LEB_64_BYTES);
    return true;
  }

  /** Nothing, a value type, or the index of a function type. */
  #skipBlockType(): boolean {
    const first = this.byte();
    if (first >= 0x80) {
      this.at -= 1;
      this.leb();
      return true;
    }
    // The index of a type is below 64 in one byte; above stand nothing (0x40) and the value types.
    return first <= 0x40 || VALUE_TYPES.has(first);
  }
}

/** i32, i64, f32, f64, v128, funcref, externref: each one byte, unlike the types of later proposals. */
export const VALUE_TYPES: ReadonlySet<number> = new Set([0x7f, 0x7e, 0x7d, 0x7c, 0x7b, 0x70, 0x6f]);

const REFERENCES: ReadonlySet<number> = new Set([0x70, 0x6f]);

const INDEXED: ReadonlySet<number> = new Set([
  0x0c, 0x0d, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x3f, 0x40, 0xd2,
]);

export const DENSE_CODES = 0x300;

/** Codes without gaps, for tables: a module has millions of instructions. */
export function denseCode(code: number): number {
  if (code <= 0xff) return code;
  return (code >> 8 === 0xfc ? 0x100 : 0x200) | (code & 0xff);
}

/** The parser's way of writing a prefixed opcode as one number. */
function prefixed(prefix: number, code: number): number {
  if (prefix === 0xfc) return code <= 0xff ? (prefix << 8) | code : 0xfcff;
  return (prefix << 12) | Math.min(code, 0xfff);
}
