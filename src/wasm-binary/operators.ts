/**
 * Reads the instructions of a function.
 *
 * The parser that reads the rest of a module assumes one byte for some immediates that may be longer (the table of a
 * `call_indirect`, which LLVM pads), and does not know others (the index of a memory). It would then read data as code,
 * and metering would charge for other instructions than those that run. This reader accepts exactly the instructions of
 * the allow-list.
 */

export interface Operator {
  /** The opcode, after its prefix if it has one: `0xfc0b` is `memory.fill`. */
  readonly code: number;
  readonly start: number;
  readonly end: number;
  /** The first immediate, if it is an index. */
  readonly index: number;
}

/** Thrown for an instruction outside of the allow-list. */
export class RefusedOperator extends Error {
  readonly code: number;

  constructor(code: number, at: number) {
    super(`the instruction 0x${code.toString(16)} at byte ${at}`);
    this.code = code;
  }
}

const LEB_64_BYTES = 10;
/** A larger number has bit 6, which means that the index of a memory follows. Modules have only one memory. */
const MAX_ALIGNMENT = 0x3f;

/** Reads the numbers and instructions of a module from an offset on. */
export class Cursor {
  readonly #bytes: Uint8Array;
  at: number;
  /** The offset of the last instruction that accesses memory. */
  memoryOffset = 0;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  byte(): number {
    const value = this.#bytes[this.at];
    if (value === undefined) throw new RangeError("the module ends too early");
    this.at += 1;
    return value;
  }

  /** Reads an unsigned number. Returns the low 32 bits of a longer number. */
  leb(maxBytes = 5): number {
    let value = 0;
    for (let index = 0; index < maxBytes; index++) {
      const byte = this.byte();
      if (index < 5) value = (value | ((byte & 0x7f) << (7 * index))) >>> 0;
      if (byte < 0x80) return value;
    }
    throw new RangeError(`a number that is too long, at byte ${this.at}`);
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
    // Float constants and the immediates of prefixed opcodes can be any bytes, so they are not read as an index.
    const index =
      end === indexAt || code === 0x44 || code === 0x43 || code > 0xff
        ? 0
        : new Cursor(this.#bytes, indexAt).leb(LEB_64_BYTES);
    return { code, start, end, index };
  }

  /** Returns `false` for an instruction outside of the allow-list. */
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
    this.memoryOffset = this.leb(LEB_64_BYTES);
    return true;
  }

  /** A block type is no type, a value type, or the index of a function type. */
  #skipBlockType(): boolean {
    const first = this.byte();
    if (first >= 0x80) {
      this.at -= 1;
      this.leb();
      return true;
    }
    // In one byte, an index is below 0x40. 0x40 means no type, and the value types are above.
    return first <= 0x40 || VALUE_TYPES.has(first);
  }
}

/** i32, i64, f32, f64, v128, funcref and externref. Each value type is one byte, unlike the types of later proposals. */
export const VALUE_TYPES: ReadonlySet<number> = new Set([0x7f, 0x7e, 0x7d, 0x7c, 0x7b, 0x70, 0x6f]);

const REFERENCES: ReadonlySet<number> = new Set([0x70, 0x6f]);

const INDEXED: ReadonlySet<number> = new Set([
  0x0c, 0x0d, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x3f, 0x40, 0xd2,
]);

export const DENSE_CODES = 0x300;

/**
 * Maps opcodes to a small range, so that per-opcode data fits into arrays. Fast, because modules have millions of
 * opcodes.
 */
export function denseCode(code: number): number {
  if (code <= 0xff) return code;
  return (code >> 8 === 0xfc ? 0x100 : 0x200) | (code & 0xff);
}

/** Combines prefix and opcode into one number, like the parser does. */
function prefixed(prefix: number, code: number): number {
  if (prefix === 0xfc) return code <= 0xff ? (prefix << 8) | code : 0xfcff;
  return (prefix << 12) | Math.min(code, 0xfff);
}
