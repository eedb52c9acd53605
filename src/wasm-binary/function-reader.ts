import { FunctionWeight, type Weights } from "./function-weight.ts";
import { type FloatResult, floatResult, hidesNan } from "./nan.ts";
import { type Arities, OperandStack } from "./operand-stack.ts";
import { Cursor, type Operator, VALUE_TYPES } from "./operators.ts";
import { TooLarge } from "./refusals.ts";
import { BULK, LASTING_OPERATORS, OPERATOR, STORES } from "./wasm-codes.ts";

/** The data about a function's body that metering needs. Offsets are into the file. */
export interface FunctionBody {
  /** Offset of the body's size, which precedes the body. */
  readonly start: number;
  /** Offset of the list of locals. */
  readonly content: number;
  /** Offset of the first instruction. */
  readonly code: number;
  readonly end: number;
  readonly localGroups: number;
  readonly locals: number;
  /** Size of the locals on the stack, in 8-byte slots. */
  readonly localSlots: number;
  /** Maximum height of the operand stack, in values. */
  readonly operands: number;
  /** The body, each of its loops, and each part that only a branch reaches. Charged when control enters it. */
  readonly regions: readonly Region[];
  /** Instructions whose cost depends on an operand. */
  readonly bulk: readonly BulkOperation[];
  /** Instructions that write memory, without bulk operations. */
  readonly stores: readonly Store[];
  /** Arithmetic whose result may be a NaN, with the offset where the result is on the stack. */
  readonly floats: readonly FloatResult[];
  /** Offsets of calls of functions that may themselves call functions. */
  readonly calls: readonly number[];
  /** Estimated cost of the body in V8's compilers. */
  readonly weight: Weights;
}

export interface Region {
  /** Offset at which the charge is inserted: before the first instruction that the charge pays for. */
  readonly at: number;
  /**
   * Instructions of the region outside of its inner loops, plus the values beyond the first that each instruction
   * moves. Structural instructions such as `block` are free.
   */
  readonly instructions: number;
  /** How many of the instructions call host functions. */
  readonly hostCalls: number;
  /** How many of the instructions make V8 leave the compiled code, which has a fixed cost even for a length of 0. */
  readonly bulk: number;
}

export interface BulkOperation {
  readonly at: number;
  readonly operator: keyof typeof BULK;
}

export interface Store {
  readonly at: number;
  /** The type of the stored value. */
  readonly type: number;
  /** Added to the address on the stack. */
  readonly offset: number;
}

const FREE: ReadonlySet<number> = new Set([OPERATOR.nop, OPERATOR.block, OPERATOR.loop, OPERATOR.else, OPERATOR.end]);

const LASTING: ReadonlyMap<number, string> = new Map(
  Object.entries(LASTING_OPERATORS).map(([name, code]) => [code, name]),
);

type OpenRegion = { -readonly [Key in keyof Region]: Region[Key] };

interface OpenBlock {
  /**
   * The instruction that opened the block. `undefined`: the function. `else`: only the `else` part can reach the end.
   */
  opener: number | undefined;
  /** The region in which the block begins. `region` is the region that the reader is in now. */
  readonly first: OpenRegion;
  region: OpenRegion;
}

/** Instructions after which control never continues with the next instruction. */
const LEAVING: ReadonlySet<number> = new Set([OPERATOR.br, OPERATOR.br_table, OPERATOR.return, OPERATOR.unreachable]);

export interface CodeOptions {
  /** Functions with a lower index are host functions. */
  readonly importedFunctions: number;
  /** Whether a call through a table may reach a host function. */
  readonly hostInTables: boolean;
  readonly arities: Arities;
}

/**
 * Maximum number of insertions of code into a module. A larger module would take longer to examine than its rule's
 * timeout, and no timeout can interrupt the examination.
 */
export const MAX_POINTS = 150_000;
const MAX_LOCALS = 2_000;

/** Reads the body of one function. */
export class BodyReader {
  lastingOperator: string | undefined;
  points = 0;
  readonly weight = new FunctionWeight();
  /** Number of parameters and locals. */
  #values: number;
  readonly #pointsLeft: number;
  readonly #bytes: Uint8Array;
  readonly #stack: OperandStack;
  readonly #cursor: Cursor;
  readonly #options: CodeOptions;
  readonly #regions: OpenRegion[] = [];
  readonly #blocks: OpenBlock[] = [];
  /** Whether the current instruction cannot be reached, because a branch, return or trap precedes it in its block. */
  #unreachable = false;
  readonly #bulk: BulkOperation[] = [];
  readonly #stores: Store[] = [];
  readonly #floats: FloatResult[] = [];
  readonly #calls: number[] = [];

  constructor(bytes: Uint8Array, start: number, index: number, options: CodeOptions, pointsLeft: number) {
    const { params, results } = options.arities.ofFunction(options.importedFunctions + index);
    this.#values = params;
    this.#stack = new OperandStack(results, options.arities);
    this.#bytes = bytes;
    this.#pointsLeft = pointsLeft;
    this.#cursor = new Cursor(bytes, start);
    this.#options = options;
  }

  read(): FunctionBody {
    const cursor = this.#cursor;
    const start = cursor.at;
    const size = cursor.leb();
    const content = cursor.at;
    const end = content + size;
    const localGroups = cursor.leb();
    let locals = 0;
    let localSlots = 0;
    for (let group = 0; group < localGroups; group++) {
      const count = cursor.leb();
      const type = cursor.byte();
      if (!VALUE_TYPES.has(type)) throw new Error(`a local of type 0x${type.toString(16)}`);
      locals += count;
      localSlots += count * (type === VECTOR ? 2 : 1);
    }
    const code = cursor.at;
    // V8 allocates memory for each local even to validate the function, and eight bytes can declare billions of locals.
    if (locals > MAX_LOCALS) throw new TooLarge("locals in a function", locals, MAX_LOCALS);
    this.#values += locals;
    this.#openBlock(undefined, this.#openRegion(code));
    while (cursor.at < end) this.#take(cursor.operator());
    if (this.#blocks.length > 0 || cursor.at !== end) throw new Error(`a function that does not end at byte ${end}`);
    return {
      start,
      content,
      code,
      end,
      localGroups,
      locals,
      localSlots,
      operands: this.#stack.peak,
      regions: this.#regions,
      bulk: this.#bulk,
      stores: this.#stores,
      floats: this.#floats,
      calls: this.#calls,
      weight: this.weight,
    };
  }

  #take(operator: Operator): void {
    const { code, start, end, index } = operator;
    this.lastingOperator ??= LASTING.get(code);
    const region = this.#blocks.at(-1)?.region;
    if (region === undefined) throw new Error(`an instruction after the end of its function, at byte ${start}`);
    region.instructions += Math.max(0, this.#stack.carriedBy(operator, this.#bytes) - 1);
    this.weight.take(operator, this.#stack, this.#values, this.#bytes);
    this.#stack.take(operator, this.#bytes);
    if (!FREE.has(code)) region.instructions += 1;
    // The bits of a result need no check if the next instruction consumes the result without exposing its bits.
    if (hidesNan(code, this.#floats.at(-1), start)) this.#floats.pop();
    const shape = floatResult(code);
    if (shape !== undefined) {
      this.#countPoint();
      this.#floats.push({ at: end, shape });
    }

    const stored = STORES[code];
    if (stored !== undefined) this.#stores.push({ at: start, type: stored, offset: this.#cursor.memoryOffset });
    if (code === OPERATOR.loop) {
      this.#openBlock(code, this.#openRegion(end));
    } else if (code === OPERATOR.block || code === OPERATOR.if) this.#openBlock(code, region);
    else if (code === OPERATOR.else) this.#startElse();
    else if (code === OPERATOR.end) this.#closeBlock(end);
    else if (LEAVING.has(code)) this.#unreachable = true;
    else if (code === OPERATOR.call && index < this.#options.importedFunctions) region.hostCalls += 1;
    else if (code === OPERATOR.call || code === OPERATOR.call_indirect) {
      if (code === OPERATOR.call_indirect && this.#options.hostInTables) region.hostCalls += 1;
      this.#countPoint();
      this.#calls.push(start);
    } else if (code === OPERATOR.table_set) region.bulk += 1;
    else if (Object.hasOwn(BULK, code)) {
      region.bulk += 1;
      this.#countPoint();
      this.#bulk.push({ at: start, operator: code as keyof typeof BULK });
    }
  }

  #openBlock(opener: number | undefined, region: OpenRegion): void {
    this.#blocks.push({ opener, first: region, region });
    this.#unreachable = false;
  }

  #startElse(): void {
    const block = this.#blocks.at(-1);
    if (block === undefined) return;
    if (this.#unreachable) block.opener = OPERATOR.else;
    block.region = block.first;
    this.#unreachable = false;
  }

  /**
   * Charges code after a block together with the code before the block, unless only a branch reaches it or a part of
   * the block. An interpreter is one loop with such a block for each of its operations. Charged as a whole, each turn
   * of that loop would cost thousands.
   */
  #closeBlock(end: number): void {
    const closed = this.#blocks.pop();
    const around = this.#blocks.at(-1);
    // No branch leads to the end of a loop. If its end is unreachable, the code after the loop is unreachable too.
    if (closed !== undefined && closed.opener !== OPERATOR.loop && around !== undefined) {
      // Control also arrives here from the condition of an `if` without `else`, and from the part before the `else`.
      const needsBranch = this.#unreachable && closed.opener !== OPERATOR.if;
      if (needsBranch || closed.region !== closed.first) {
        around.region = this.#openRegion(end);
      }
      this.#unreachable = false;
    }
  }

  #countPoint(): void {
    this.points += 1;
    if (this.points > this.#pointsLeft)
      throw new TooLarge("calls, loops, functions and instructions on floats, or more", MAX_POINTS + 1, MAX_POINTS);
  }

  #openRegion(at: number): OpenRegion {
    this.#countPoint();
    this.weight.paid(this.#values + this.#stack.height);
    const region = { at, instructions: 0, hostCalls: 0, bulk: 0 };
    this.#regions.push(region);
    return region;
  }
}

const VECTOR = 0x7b;
