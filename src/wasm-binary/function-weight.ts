import { floatResult } from "./nan.ts";
import type { OperandStack } from "./operand-stack.ts";
import { Cursor, DENSE_CODES, denseCode, type Operator } from "./operators.ts";
import { BULK, LASTING_OPERATORS, OPERATOR } from "./wasm-codes.ts";

/**
 * Estimates from a function's code what V8's two compilers need for it.
 *
 * The baseline compiler (Liftoff) copies all locals and operands wherever control forks. Its cost is proportional to
 * the copies, so a limit on their sum bounds it. The optimising compiler (TurboFan) runs in the background, where
 * neither fuel nor a timeout ends it. It can take minutes and gigabytes for a function that Liftoff compiles in
 * milliseconds, and it aborts the process if a graph gets too large. A module with such a function is never optimised;
 * see `optimiser.ts`. The numbers here were measured on Node 20, 22, 24 and 26; `npm run test:heavy` shows how far real
 * modules are from them.
 */

/** Limits for admission. Larger functions are refused, because Liftoff would take too much time or memory. */
export const LIFTOFF_LIMITS = {
  instructions: 400_000,
  /** Copied values. Liftoff takes 14 bytes for each. V8 compiles up to five functions at a time. */
  keptValues: 3_000_000,
} as const;

/** Limits for the optimiser. A module with a larger function is admitted, and runs as Liftoff compiled it. */
export const OPTIMISER_LIMITS = {
  /** Memory for a function. V8 compiles four functions at a time, each in up to 2.3 times this memory. */
  memoryKiB: 40_960,
  /** Entries of the largest `br_table` times branches to one label: Node 24 takes 0.1 KB for each pair. */
  switchPairs: 60_000,
  /** Divisions, saturating conversions, indirect calls, bulk operations. On Node 20 and 22 the time is quadratic. */
  slowOperators: 1_000,
  /** The number of values at each place where control forks, joins or leaves the code. */
  placeValues: 2_000_000,
} as const;

export type Weights = Readonly<Record<keyof typeof LIFTOFF_LIMITS | keyof typeof OPTIMISER_LIMITS, number>>;

interface Label {
  readonly isLoop: boolean;
  branches: number;
}

export class FunctionWeight implements Weights {
  instructions = 0;
  keptValues = 0;
  memoryKiB = 0;
  slowOperators = 0;
  placeValues = 0;
  readonly #labels: Label[] = [{ isLoop: false, branches: 0 }];
  #openLoops = 0;
  #mostBranches = 0;
  #largestTable = 0;

  get switchPairs(): number {
    return this.#largestTable * this.#mostBranches;
  }

  /** Whether V8 may optimise the function. */
  get isLight(): boolean {
    return (Object.keys(OPTIMISER_LIMITS) as (keyof typeof OPTIMISER_LIMITS)[]).every(
      (name) => this[name] <= OPTIMISER_LIMITS[name],
    );
  }

  /** Adds one operator. Must be called before `stack.take`. `locals` includes the parameters. */
  take(operator: Operator, stack: OperandStack, locals: number, bytes: Uint8Array): void {
    // Neither compiler emits code for `nop`.
    if (operator.code === OPERATOR.nop) return;
    const dense = denseCode(operator.code);
    this.instructions += 1;
    this.memoryKiB += 1 + (EXPANSION_KIB[dense] as number);
    this.slowOperators += SLOW[dense] as number;
    if (KEPT[dense] !== 0) this.#place(operator, stack.handledBy(operator, bytes), locals + Math.max(0, stack.height));
    if (operator.code <= OPERATOR.br_table) this.#followLabels(operator, bytes);
  }

  /** Adds the fork that metering inserts where a region is charged. `values` are the locals and operands there. */
  paid(values: number): void {
    this.keptValues += values * KEPT_WHERE_PAID;
    this.placeValues += PLACE + values;
  }

  #place({ code, index }: Operator, handled: number, values: number): void {
    const place = PLACE + values + handled;
    const times = code === OPERATOR.br_table ? index + 1 : 1;
    // No values have to be kept after a return.
    this.keptValues +=
      code === OPERATOR.return ? handled : (values * (KEPT[denseCode(code)] as number) + handled) * times;
    if (code === OPERATOR.return) this.placeValues += handled;
    else if (code === OPERATOR.loop) this.placeValues += (place + this.#openLoops) * LOOP_PLACES;
    else this.placeValues += place * times;
  }

  #followLabels({ code, start, index }: Operator, bytes: Uint8Array): void {
    if (code === OPERATOR.block || code === OPERATOR.loop || code === OPERATOR.if) {
      const isLoop = code === OPERATOR.loop;
      this.#labels.push({ isLoop, branches: 0 });
      if (isLoop) this.#openLoops += 1;
    } else if (code === OPERATOR.end) {
      if (this.#labels.pop()?.isLoop === true) this.#openLoops -= 1;
    } else if (code === OPERATOR.br || code === OPERATOR.br_if) this.#branch(index);
    else if (code === OPERATOR.br_table) {
      this.#largestTable = Math.max(this.#largestTable, index + 1);
      this.memoryKiB += TABLE_ENTRY_KIB * (index + 1);
      const targets = new Cursor(bytes, start + 1);
      for (let left = targets.leb() + 1; left > 0; left--) this.#branch(targets.leb());
    }
  }

  #branch(depth: number): void {
    const label = this.#labels.at(-1 - depth);
    if (label === undefined) return;
    label.branches += 1;
    this.#mostBranches = Math.max(this.#mostBranches, label.branches);
  }
}

/** Cost of a place without values in the optimiser, and the factor for a loop. */
const PLACE = 100;
const LOOP_PLACES = 8;

/**
 * How many copies of all locals and operands Liftoff makes at an operator. A loop takes 42 bytes a value, an `if` 27.
 * Branches and calls only read the values. Zero means that control continues with the next instruction.
 */
const KEPT = new Float64Array(DENSE_CODES);
const KEPT_WHERE_PAID = 2;
for (const code of [
  OPERATOR.else,
  OPERATOR.br,
  OPERATOR.br_if,
  OPERATOR.br_table,
  OPERATOR.return,
  OPERATOR.call,
  OPERATOR.call_indirect,
  OPERATOR.table_get,
  OPERATOR.ref_func,
  ...Object.values(LASTING_OPERATORS),
])
  KEPT[denseCode(code)] = 0.25;
// Metering inserts a charge for the length of a bulk operation.
for (const code of Object.keys(BULK)) KEPT[denseCode(Number(code))] = KEPT_WHERE_PAID;
KEPT[OPERATOR.block] = 1;
KEPT[OPERATOR.if] = 2;
KEPT[OPERATOR.loop] = 3;

/** Memory in KiB that the optimiser takes for an operator and its metering, beyond the 1 KiB of every instruction. */
const EXPANSION_KIB = new Float64Array(DENSE_CODES);
const TABLE_ENTRY_KIB = 8;
const SATURATING = [0xfc00, 0xfc01, 0xfc02, 0xfc03, 0xfc04, 0xfc05, 0xfc06, 0xfc07];
const TRUNCATING = [0xa8, 0xa9, 0xaa, 0xab, 0xae, 0xaf, 0xb0, 0xb1];
const DIVIDING = [0x6d, 0x6e, 0x6f, 0x70, 0x7f, 0x80, 0x81, 0x82];
const COPYSIGN = [0x98, 0xa6];
/** Operators for which V8 leaves the compiled code. */
const CALLING_V8 = [OPERATOR.table_get, ...Object.values(LASTING_OPERATORS), ...Object.keys(BULK).map(Number)];
const EXPANSIONS: readonly (readonly [kib: number, codes: readonly number[]])[] = [
  [24, [OPERATOR.loop]],
  [14, SATURATING],
  [11, CALLING_V8],
  [8, [OPERATOR.call_indirect]],
  [6, DIVIDING],
  [5, [OPERATOR.ref_func]],
  [4, [OPERATOR.if, OPERATOR.call, OPERATOR.table_set]],
  [3, TRUNCATING],
  [2.2, [OPERATOR.br, OPERATOR.br_if, OPERATOR.return, ...COPYSIGN]],
];
const FLOAT_ARITHMETIC_KIB = 5;
const VECTOR = 0xfd000;
for (let low = 0; low <= 0xff; low++) {
  for (const code of [low, VECTOR | low]) {
    if (floatResult(code) !== undefined) EXPANSION_KIB[denseCode(code)] = FLOAT_ARITHMETIC_KIB;
  }
}
for (const [kib, codes] of EXPANSIONS) for (const code of codes) EXPANSION_KIB[denseCode(code)] = kib;

const SLOW = new Uint8Array(DENSE_CODES);
for (const code of [OPERATOR.call_indirect, ...DIVIDING, ...SATURATING, ...CALLING_V8]) SLOW[denseCode(code)] = 1;
