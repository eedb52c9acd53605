import { FunctionWeight, LIFTOFF_LIMITS, type Weights } from "./function-weight.ts";
import { type FloatResult, floatResult, hidesNan } from "./nan.ts";
import { type Arities, OperandStack } from "./operand-stack.ts";
import { Cursor, type Operator, VALUE_TYPES } from "./operators.ts";
import { BULK, LASTING_OPERATORS, OPERATOR } from "./wasm-codes.ts";

/** What metering needs to know of a function's body: where its costs arise. Offsets are into the file. */
export interface FunctionBody {
  /** Of the body's size, which stands before it. */
  readonly start: number;
  /** Of the list of locals. */
  readonly content: number;
  /** Of the first instruction. */
  readonly code: number;
  readonly end: number;
  readonly localGroups: number;
  readonly locals: number;
  /** Room that the locals take on the stack, in 8-byte slots. */
  readonly localSlots: number;
  /** The most values that are on its operand stack at once. */
  readonly operands: number;
  /** The body itself, each of its loops, and what only a branch leads to: charged whenever control comes there. */
  readonly regions: readonly Region[];
  /** Instructions whose cost is in an operand. */
  readonly bulk: readonly BulkOperation[];
  /** Arithmetic whose result may be a NaN, by where its result is there. */
  readonly floats: readonly FloatResult[];
  /** Where functions are called that may themselves call. */
  readonly calls: readonly number[];
  /** What V8's compilers make of it. */
  readonly weight: Weights;
}

export interface Region {
  /** Where the charge is taken: before the first instruction that it pays for. */
  readonly at: number;
  /**
   * Instructions in the region that are not in a loop inside of it, and values beyond the first that they carry along.
   * Structure is free.
   */
  readonly instructions: number;
  /** Calls of host functions among them. */
  readonly hostCalls: number;
  /** Instructions among them for which V8 leaves the compiled code, however little there is to do. */
  readonly bulk: number;
}

export interface BulkOperation {
  readonly at: number;
  readonly operator: keyof typeof BULK;
}

const FREE: ReadonlySet<number> = new Set([OPERATOR.nop, OPERATOR.block, OPERATOR.loop, OPERATOR.else, OPERATOR.end]);

const LASTING: ReadonlyMap<number, string> = new Map(
  Object.entries(LASTING_OPERATORS).map(([name, code]) => [code, name]),
);

type OpenRegion = { -readonly [Key in keyof Region]: Region[Key] };

interface OpenBlock {
  /** What opened it: nothing for the function, `else` where that alone can lead behind an `if`. */
  opener: number | undefined;
  /** The region in which it begins, and the one in which it is now. */
  readonly first: OpenRegion;
  region: OpenRegion;
}

/** Behind these, control goes on elsewhere. */
const LEAVING: ReadonlySet<number> = new Set([OPERATOR.br, OPERATOR.br_table, OPERATOR.return, OPERATOR.unreachable]);

export interface CodeOptions {
  /** Functions with a lower index are the host's. */
  readonly importedFunctions: number;
  /** Whether a call through a table may be one of the host's functions. */
  readonly hostInTables: boolean;
  readonly arities: Arities;
}

/**
 * Places where code is put in, and bytes of code. Beyond these a module costs more to examine than its rule has time,
 * and the examination is not something that a deadline can interrupt.
 */
const MAX_POINTS = 150_000;
const MAX_CODE_BYTES = 4 * 1_048_576;
const MAX_LOCALS = 2_000;

/** Of all functions together: Liftoff takes up to 17 ns for a value, and up to 2.4 us and 1.4 KB for a slow operator. */
const MAX_KEPT_VALUES = 50_000_000;
const MAX_SLOW_OPERATORS = 50_000;
/**
 * Of all functions of a module that may be optimised: the optimiser works on all that are called often, one after the
 * other, and what it has made of them is kept. A guard in TypeScript has a third of the first and half of the second.
 */
const MAX_OPTIMISED_PLACE_VALUES = 20_000_000;
const MAX_OPTIMISED_MEMORY_KIB = 768 * 1_024;

/** A module that is too large to be examined. */
export class TooLarge extends Error {
  readonly limit: number;
  readonly value: number;

  constructor(what: string, value: number, limit: number) {
    super(`has ${value} ${what}; the limit is ${limit}`);
    this.limit = limit;
    this.value = value;
  }
}

export interface Code {
  readonly bodies: readonly FunctionBody[];
  /** An instruction that changes what JavaScript cannot put back, if there is one. */
  readonly lastingOperator: string | undefined;
  /** Whether V8 may optimise the module. */
  readonly isLight: boolean;
}

/** Reads the code section whose content starts at `content`, valid or not. Throws `RefusedOperator` and `TooLarge`. */
export function readCode(bytes: Uint8Array, content: number, end: number, options: CodeOptions): Code {
  if (end - content > MAX_CODE_BYTES) throw new TooLarge("bytes of code", end - content, MAX_CODE_BYTES);
  const cursor = new Cursor(bytes, content);
  const count = cursor.leb();
  const bodies: FunctionBody[] = [];
  let lastingOperator: string | undefined;
  let points = 0;
  const total = { keptValues: 0, slowOperators: 0, placeValues: 0, memoryKiB: 0 };
  let isLight = true;
  for (let index = 0; index < count; index++) {
    const body = new BodyReader(bytes, cursor.at, index, options, MAX_POINTS - points);
    bodies.push(body.read());
    const { weight } = body;
    points += body.points;
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += weight[name];
    isLight &&= weight.isLight;
    limit("instructions in a function", weight.instructions, LIFTOFF_LIMITS.instructions);
    limit(`${KEPT_VALUES} of a function`, weight.keptValues, LIFTOFF_LIMITS.keptValues);
    limit(`${KEPT_VALUES} of the module, or more`, total.keptValues, MAX_KEPT_VALUES);
    limit("divisions, saturating conversions and indirect calls, or more", total.slowOperators, MAX_SLOW_OPERATORS);
    lastingOperator ??= body.lastingOperator;
    cursor.at = bodies.at(-1)?.end ?? cursor.at;
  }
  isLight &&= total.placeValues <= MAX_OPTIMISED_PLACE_VALUES && total.memoryKiB <= MAX_OPTIMISED_MEMORY_KIB;
  return { bodies, lastingOperator, isLight };
}

const KEPT_VALUES = "values to keep over the blocks, loops and branches";

function limit(what: string, value: number, most: number): void {
  if (value > most) throw new TooLarge(what, Math.ceil(value), most);
}

class BodyReader {
  lastingOperator: string | undefined;
  points = 0;
  readonly weight = new FunctionWeight();
  /** Parameters and locals. */
  #values: number;
  readonly #pointsLeft: number;
  readonly #bytes: Uint8Array;
  readonly #stack: OperandStack;
  readonly #cursor: Cursor;
  readonly #options: CodeOptions;
  readonly #regions: OpenRegion[] = [];
  readonly #blocks: OpenBlock[] = [];
  /** Control does not get here: a branch, a return or a trap stands before, in the same block. */
  #unreachable = false;
  readonly #bulk: BulkOperation[] = [];
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
    // V8 makes room for each of them even to validate the function, and eight bytes are enough to declare them.
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
      floats: this.#floats,
      calls: this.#calls,
      weight: this.weight,
    };
  }

  #take(operator: Operator): void {
    const { code, start, end, index } = operator;
    this.lastingOperator ??= LASTING.get(code);
    const region = this.#blocks.at(-1)?.region;
    if (region === undefined) throw new Error(`an instruction behind the end of its function, at byte ${start}`);
    region.instructions += Math.max(0, this.#stack.carriedBy(operator, this.#bytes) - 1);
    this.weight.take(operator, this.#stack, this.#values, this.#bytes);
    this.#stack.take(operator, this.#bytes);
    if (!FREE.has(code)) region.instructions += 1;
    // What is made only to be worked on further need not be looked at twice.
    if (hidesNan(code, this.#floats.at(-1), start)) this.#floats.pop();
    const shape = floatResult(code);
    if (shape !== undefined) {
      this.#countPoint();
      this.#floats.push({ at: end, shape });
    }

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
   * What stands behind a block is paid for with what stands before it, unless only a branch leads there, or to a part
   * of the block. An interpreter is one loop around one such block for each of its operations: paid for as a whole, each
   * turn would cost thousands.
   */
  #closeBlock(end: number): void {
    const closed = this.#blocks.pop();
    const around = this.#blocks.at(-1);
    // Nothing branches to the end of a loop: what cannot be reached at its end cannot be reached behind it.
    if (closed !== undefined && closed.opener !== OPERATOR.loop && around !== undefined) {
      // Control also comes here from the condition of an `if` without `else`, or from what stands before the `else`.
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
