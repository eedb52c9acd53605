import { Cursor, DENSE_CODES, denseCode, type Operator } from "./operators.ts";
import { OPERATOR } from "./wasm-codes.ts";

/**
 * Computes the maximum height of a function's operand stack. V8's baseline compiler reserves a slot for each value in
 * every frame, its optimising compiler only for a few. Unless the values count towards depth, the number of nested
 * calls would depend on the compiler.
 */

export interface Arity {
  readonly params: number;
  readonly results: number;
}

/** Numbers of parameters and results by type index and by function index. */
export interface Arities {
  readonly ofType: (index: number) => Arity;
  readonly ofFunction: (index: number) => Arity;
}

interface Frame {
  readonly base: number;
  readonly arity: Arity;
  /** Values that a branch to this frame carries: to the start of a loop, or to the end of another block. */
  readonly carries: number;
  /**
   * Whether an unconditional branch precedes the current instruction. Unreachable code may pop any number of values.
   */
  isDead: boolean;
}

const NOTHING: Arity = { params: 0, results: 0 };
const ONE_RESULT: Arity = { params: 0, results: 1 };
const NO_BLOCK_TYPE = 0x40;

export class OperandStack {
  /** Maximum height so far. */
  peak = 0;
  /** Current height. */
  height = 0;
  readonly #frames: Frame[];
  readonly #arities: Arities;

  constructor(results: number, arities: Arities) {
    this.#frames = [{ base: 0, arity: { params: 0, results }, carries: results, isDead: false }];
    this.#arities = arities;
  }

  /** Applies an operator that was read from `bytes`. Throws if the height does not match the module's types. */
  take(operator: Operator, bytes: Uint8Array): void {
    const { code, index } = operator;
    switch (code) {
      case OPERATOR.if:
        this.#move(-1);
        this.#open(operator, bytes);
        break;
      case OPERATOR.block:
      case OPERATOR.loop:
        this.#open(operator, bytes);
        break;
      case OPERATOR.else:
        this.#else();
        break;
      case OPERATOR.end:
        this.#end();
        break;
      case OPERATOR.call:
        this.#call(this.#arities.ofFunction(index));
        break;
      case OPERATOR.call_indirect:
        this.#move(-1);
        this.#call(this.#arities.ofType(index));
        break;
      default: {
        const effect = effects[denseCode(code)] ?? 0;
        if (effect !== 0) this.#move(effect);
        if (code <= LAST_LEAVING && LEAVES.has(code)) this.#leave();
      }
    }
  }

  /** Returns how many values the instruction moves to another place on the stack. */
  carriedBy({ code, start, index }: Operator, bytes: Uint8Array): number {
    switch (code) {
      case OPERATOR.br:
      case OPERATOR.br_if:
        return this.#frames.at(-1 - index)?.carries ?? 0;
      case OPERATOR.br_table: {
        // All targets of a `br_table` take the same number of values.
        const targets = new Cursor(bytes, start + 1);
        targets.leb();
        return this.#frames.at(-1 - targets.leb())?.carries ?? 0;
      }
      case OPERATOR.return:
        return this.#frames[0]?.carries ?? 0;
      case OPERATOR.call:
        return this.#arities.ofFunction(index).results;
      case OPERATOR.call_indirect:
        return this.#arities.ofType(index).results;
      default:
        return 0;
    }
  }

  /**
   * Returns how many values a compiler handles one by one for the instruction. Values in unreachable code are not on
   * the stack, so they are counted by type and not by height.
   */
  handledBy(operator: Operator, bytes: Uint8Array): number {
    const { code, start, end, index } = operator;
    switch (code) {
      case OPERATOR.block:
      case OPERATOR.loop:
      case OPERATOR.if:
        return sum(this.#blockType(bytes.subarray(start + 1, end), index));
      case OPERATOR.call:
        return sum(this.#arities.ofFunction(index));
      case OPERATOR.call_indirect:
        return sum(this.#arities.ofType(index));
      default:
        return this.carriedBy(operator, bytes);
    }
  }

  get #frame(): Frame {
    const frame = this.#frames.at(-1);
    if (frame === undefined) throw new Error("an instruction after the end of its function");
    return frame;
  }

  #move(by: number): void {
    const { base, isDead } = this.#frame;
    this.height = isDead ? Math.max(base, this.height + by) : this.height + by;
    if (this.height > this.peak) this.peak = this.height;
  }

  #call({ params, results }: Arity): void {
    this.#move(-params);
    this.#move(results);
  }

  #open({ code, start, end, index }: Operator, bytes: Uint8Array): void {
    const arity = this.#blockType(bytes.subarray(start + 1, end), index);
    const { base, isDead } = this.#frame;
    const below = isDead ? Math.max(base, this.height - arity.params) : this.height - arity.params;
    const carries = code === OPERATOR.loop ? arity.params : arity.results;
    this.#frames.push({ base: below, arity, carries, isDead: false });
    this.height = below;
    this.#move(arity.params);
  }

  /** Reads a block type: one signed number, negative for no type or a value type, otherwise the index of a type. */
  #blockType(bytes: Uint8Array, index: number): Arity {
    const first = bytes[0] ?? 0;
    if (first === NO_BLOCK_TYPE) return NOTHING;
    if (first > NO_BLOCK_TYPE && first < 0x80) return ONE_RESULT;
    if (((bytes.at(-1) ?? 0) & 0x40) !== 0) throw new Error("a block type in a longer encoding than necessary");
    return this.#arities.ofType(index);
  }

  #else(): void {
    const frame = this.#frame;
    this.#check(frame);
    frame.isDead = false;
    this.height = frame.base + frame.arity.params;
  }

  #end(): void {
    const frame = this.#frame;
    this.#check(frame);
    this.#frames.pop();
    this.height = frame.base + frame.arity.results;
    if (this.height > this.peak) this.peak = this.height;
  }

  #leave(): void {
    const frame = this.#frame;
    frame.isDead = true;
    this.height = frame.base;
  }

  #check({ base, arity, isDead }: Frame): void {
    if (!isDead && this.height !== base + arity.results) throw new Error("operands that do not match the block type");
  }
}

function sum({ params, results }: Arity): number {
  return params + results;
}

/** `unreachable`, `br`, `br_table`, `return`. */
const LEAVES: ReadonlySet<number> = new Set([0x00, 0x0c, 0x0e, 0x0f]);
const LAST_LEAVING = 0x0f;

const VECTOR = 0xfd000;
const BULK = 0xfc00;

/** Net effect of instructions on the height of the stack. Instructions outside of these ranges have none. */
const EFFECTS: readonly (readonly [from: number, to: number, effect: number])[] = [
  [0x0d, 0x0e, -1], // br_if, br_table
  [0x1a, 0x1a, -1], // drop
  [0x1b, 0x1c, -2], // select
  [0x20, 0x20, 1], // local.get
  [0x21, 0x21, -1],
  [0x23, 0x23, 1], // global.get
  [0x24, 0x24, -1],
  [0x26, 0x26, -2], // table.set
  [0x36, 0x3e, -2], // stores
  [0x3f, 0x3f, 1], // memory.size
  [0x41, 0x44, 1], // constants
  [0x46, 0x4f, -1], // comparisons, i32
  [0x51, 0x66, -1], // i64, f32, f64
  [0x6a, 0x78, -1], // arithmetic, i32
  [0x7c, 0x8a, -1], // i64
  [0x92, 0x98, -1], // f32
  [0xa0, 0xa6, -1], // f64
  [0xd0, 0xd0, 1], // ref.null
  [0xd2, 0xd2, 1], // ref.func
  [BULK | 8, BULK | 8, -3], // memory.init
  [BULK | 10, BULK | 12, -3], // memory.copy, memory.fill, table.init
  [BULK | 14, BULK | 14, -3], // table.copy
  [BULK | 15, BULK | 15, -1], // table.grow
  [BULK | 16, BULK | 16, 1], // table.size
  [BULK | 17, BULK | 17, -3], // table.fill
  [VECTOR | 11, VECTOR | 11, -2], // v128.store
  [VECTOR | 12, VECTOR | 12, 1], // v128.const
  [VECTOR | 13, VECTOR | 14, -1], // shuffle, swizzle
  [VECTOR | 23, VECTOR | 23, -1], // replace_lane, here and below
  [VECTOR | 26, VECTOR | 26, -1],
  [VECTOR | 28, VECTOR | 28, -1],
  [VECTOR | 30, VECTOR | 30, -1],
  [VECTOR | 32, VECTOR | 32, -1],
  [VECTOR | 34, VECTOR | 76, -1], // replace_lane, comparisons
  [VECTOR | 78, VECTOR | 81, -1], // and, andnot, or, xor
  [VECTOR | 82, VECTOR | 82, -2], // bitselect
  [VECTOR | 84, VECTOR | 87, -1], // load lanes
  [VECTOR | 88, VECTOR | 91, -2], // store lanes
  [VECTOR | 101, VECTOR | 102, -1], // arithmetic on lanes, from here
  [VECTOR | 107, VECTOR | 115, -1],
  [VECTOR | 118, VECTOR | 121, -1],
  [VECTOR | 123, VECTOR | 123, -1],
  [VECTOR | 130, VECTOR | 130, -1],
  [VECTOR | 133, VECTOR | 134, -1],
  [VECTOR | 139, VECTOR | 147, -1],
  [VECTOR | 149, VECTOR | 159, -1],
  [VECTOR | 171, VECTOR | 191, -1],
  [VECTOR | 203, VECTOR | 223, -1],
  [VECTOR | 228, VECTOR | 235, -1],
  [VECTOR | 240, VECTOR | 247, -1],
];

const effects = new Int8Array(DENSE_CODES);
for (const [from, to, effect] of EFFECTS) effects.fill(effect, denseCode(from), denseCode(to) + 1);
