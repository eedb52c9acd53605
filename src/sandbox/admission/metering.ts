import type { BulkOperation, FunctionBody, Region } from "../../wasm-binary/function-reader.ts";
import { leb128, signedLeb128 } from "../../wasm-binary/leb128.ts";
import type { ModuleBinary } from "../../wasm-binary/module-binary.ts";
import { canonicalNan, type FloatShape, SCRATCH_TYPE } from "../../wasm-binary/nan.ts";
import { BULK, OPERATOR } from "../../wasm-binary/wasm-codes.ts";
import { COST, FRAME_SLOTS } from "./cost-model.ts";
import { markBulk, markStore, type WritingLocals } from "./marking.ts";

/**
 * Writes the counters for fuel and call depth into a module's code. V8 cannot be relied on to interrupt a guest, and
 * its stack limit differs between unoptimised and optimised code. A counter in the guest's own code ends the guest at
 * the same instruction on every machine.
 *
 * Fuel is charged where control can return to: at the start of each function for its straight-line part, at each turn
 * of a loop for the loop's part, and at the start of each case of a `switch`, so that a call pays only for the cases
 * that it runs. Instructions whose cost depends on an operand are charged before they run.
 *
 * Depth is passed down. A function reads the remaining depth at its start, and writes the callee's depth before each
 * call. Nothing is restored after a call, because the caller writes the depth again before its next call.
 *
 * Writes to memory are marked in a third global, so that the host restores only what a call has written. Marks cost no
 * fuel.
 *
 * The counters are globals after all of the module's own. The original module was validated without the counters, so
 * its code has no index for them and cannot change them.
 */
interface Counters {
  readonly fuel: number;
  readonly depth: number;
  /** Set if writes to memory are marked. */
  readonly marks: number | undefined;
}

/** The maximum number of instructions that are marked, because marks make code longer. An engine of JavaScript has 8,000. */
const MAX_MARKED = 20_000;

/** `isRestored`: whether an instance of the module can be restored, which needs marks. */
export function countersOf({ globals, memory, bodies }: ModuleBinary, isRestored: boolean): Counters {
  const stores = bodies.reduce((sum, body) => sum + body.stores.length, 0);
  const areMarked = isRestored && memory !== undefined && stores <= MAX_MARKED;
  return { fuel: globals, depth: globals + 1, marks: areMarked ? globals + 2 : undefined };
}

/** Returns the metered code section, without its header. */
export function meterCode(file: Uint8Array, binary: ModuleBinary, counters: Counters): Uint8Array {
  const bodies = binary.bodies.map((body, index) => {
    const parameters = binary.functionTypes[index]?.params.length ?? 0;
    return meterBody(file, body, parameters, counters);
  });
  return concat([
    Uint8Array.from(leb128(bodies.length)),
    ...bodies.flatMap((body) => [Uint8Array.from(leb128(body.byteLength)), body]),
  ]);
}

interface Insertion {
  readonly at: number;
  /** Order among insertions at the same offset. Code that belongs to the previous instruction comes first. */
  readonly order: 0 | 1 | 2;
  readonly code: readonly number[] | Uint8Array;
}

function meterBody(file: Uint8Array, body: FunctionBody, parameters: number, counters: Counters): Uint8Array {
  const scratch = new Scratch(parameters + body.locals);
  const left = scratch.local(I64, "fuel left");
  const own = body.calls.length === 0 ? undefined : scratch.local(I64, "own depth");
  const slots = Math.max(FRAME_SLOTS, body.operands) + parameters + body.localSlots;
  const { marks } = counters;
  const writing: WritingLocals = {
    value: (type) => scratch.local(type),
    address: () => scratch.local(I32, "address"),
    source: () => scratch.local(I32, "source"),
  };
  const settling = new Map<FloatShape, Uint8Array>();
  const settled = (shape: FloatShape): Uint8Array => {
    const code = settling.get(shape) ?? Uint8Array.from(canonicalNan(shape, scratch.local(SCRATCH_TYPE[shape])));
    settling.set(shape, code);
    return code;
  };
  const insertions: Insertion[] = [
    ...body.regions.map((region, index) => ({
      at: region.at,
      order: 1 as const,
      code: charge(region, counters, left, index === 0 ? readDepth(counters, own) : []),
    })),
    ...body.bulk.map((operation) => ({
      at: operation.at,
      order: 2 as const,
      code: [
        ...chargeBulk(operation, counters, scratch.local(I32)),
        ...(marks !== undefined && WRITING.has(operation.operator) ? markBulk(marks, writing) : []),
      ],
    })),
    ...(marks === undefined ? [] : body.stores).map((store) => ({
      at: store.at,
      order: 2 as const,
      code: markStore(store, marks ?? 0, writing),
    })),
    ...body.floats.map(({ at, shape }) => ({
      at,
      order: 0 as const,
      code: settled(shape),
    })),
    ...body.calls.map((at) => ({ at, order: 2 as const, code: leaveDepth(counters, own ?? [], slots) })),
  ].sort((a, b) => a.at - b.at || a.order - b.order);

  const pieces: Uint8Array[] = [locals(file, body, scratch.types)];
  let at = body.code;
  for (const insertion of insertions) {
    const { code } = insertion;
    pieces.push(file.subarray(at, insertion.at), code instanceof Uint8Array ? code : Uint8Array.from(code));
    at = insertion.at;
  }
  pieces.push(file.subarray(at, body.end));
  return concat(pieces);
}

/** Additional locals after those of the function: one for each type and purpose. */
class Scratch {
  readonly types: number[] = [];
  readonly #purposes: string[] = [];
  readonly #first: number;

  constructor(first: number) {
    this.#first = first;
  }

  local(type: number, purpose = `passing ${type}`): number[] {
    if (!this.#purposes.includes(purpose)) {
      this.#purposes.push(purpose);
      this.types.push(type);
    }
    return leb128(this.#first + this.#purposes.indexOf(purpose));
  }
}

/** Returns the list of locals with locals of the types in `more` appended. */
function locals(file: Uint8Array, body: FunctionBody, more: readonly number[]): Uint8Array {
  const groups = file.subarray(body.content, body.code);
  if (more.length === 0) return groups;
  let count = 0;
  while (((groups[count] ?? 0) & 0x80) !== 0) count += 1;
  return Uint8Array.from([
    ...leb128(body.localGroups + more.length),
    ...groups.subarray(count + 1),
    ...more.flatMap((type) => [1, type]),
  ]);
}

const I32 = 0x7f;
const I64 = 0x7e;
const CODE = {
  unreachable: 0x00,
  if: 0x04,
  end: 0x0b,
  localGet: 0x20,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
  i64Const: 0x42,
  i64LessSigned: 0x53,
  i64Subtract: 0x7d,
  i64Multiply: 0x7e,
  i64Or: 0x84,
  i64ShiftRightUnsigned: 0x88,
  i64ExtendI32Unsigned: 0xad,
} as const;
const NO_RESULT = 0x40;

/**
 * Charges a region's fuel and traps if a counter is below zero. At the start of a function, one test covers both
 * counters: their bitwise OR is negative if either is negative. The remaining fuel is tested in a local, because
 * reading it back from the global would take a tenth of a call's time.
 */
function charge(region: Region, { fuel }: Counters, scratch: readonly number[], depth: readonly number[]): number[] {
  const { instructions, hostCalls, bulk } = region;
  const cost = COST.region + instructions * COST.instruction + hostCalls * COST.hostCall + bulk * COST.bulk;
  const both = depth.length === 0 ? [] : [...depth, CODE.i64Or];
  return [
    CODE.globalGet,
    ...leb128(fuel),
    CODE.i64Const,
    ...signedLeb128(cost),
    CODE.i64Subtract,
    CODE.localTee,
    ...scratch,
    CODE.globalSet,
    ...leb128(fuel),
    CODE.localGet,
    ...scratch,
    ...both,
    ...trapIfNegative(),
  ];
}

function readDepth({ depth }: Counters, own: readonly number[] | undefined): number[] {
  return [CODE.globalGet, ...leb128(depth), ...(own === undefined ? [] : [CODE.localTee, ...own])];
}

function leaveDepth({ depth }: Counters, own: readonly number[], slots: number): number[] {
  const rest = [CODE.localGet, ...own, CODE.i64Const, ...signedLeb128(slots), CODE.i64Subtract];
  return [...rest, CODE.globalSet, ...leb128(depth)];
}

/** Charges a bulk operation by the length on top of the stack, and leaves the length there. */
function chargeBulk({ operator }: BulkOperation, { fuel }: Counters, scratch: readonly number[]): number[] {
  const unit = BULK[operator];
  const length = [CODE.localGet, ...scratch, CODE.i64ExtendI32Unsigned];
  const cost =
    unit === "bytes"
      ? [...length, CODE.i64Const, ...signedLeb128(COST.byteShift), CODE.i64ShiftRightUnsigned]
      : [...length, CODE.i64Const, ...signedLeb128(unit === "pages" ? COST.page : COST.entry), CODE.i64Multiply];
  return [
    CODE.localTee,
    ...scratch,
    CODE.globalGet,
    ...leb128(fuel),
    ...cost,
    CODE.i64Subtract,
    CODE.globalSet,
    ...leb128(fuel),
    CODE.globalGet,
    ...leb128(fuel),
    ...trapIfNegative(),
  ];
}

const WRITING: ReadonlySet<number> = new Set([OPERATOR.memory_init, OPERATOR.memory_copy, OPERATOR.memory_fill]);

/** Traps if a counter is below zero. The counter stays negative, which distinguishes the trap from the guest's own. */
function trapIfNegative(): number[] {
  return [CODE.i64Const, 0, CODE.i64LessSigned, CODE.if, NO_RESULT, CODE.unreachable, CODE.end];
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
