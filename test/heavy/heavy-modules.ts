import { withManifest } from "../helpers/guests.ts";

/**
 * Modules whose code V8's optimising compiler would take minutes, gigabytes or an abort for. They cannot be written as
 * text: each is one instruction sequence, tens of thousands of times in one function, which `handle` calls in an
 * endless loop.
 */

type Bytes = Uint8Array<ArrayBuffer>;

export interface HeavyModule {
  readonly name: string;
  /**
   * `refused`: over a limit of admission. `heavy`: admitted, and never optimised. `light`: just within what V8 may
   * optimise.
   */
  readonly is: "refused" | "heavy" | "light";
  readonly make: () => Bytes;
}

interface Shape {
  /** How often the sequence is repeated. */
  readonly units: number;
  readonly unit: readonly number[];
  /** How many such functions there are. Default: 1. */
  readonly functions?: number;
  readonly before?: Uint8Array | readonly number[];
  readonly after?: Uint8Array | readonly number[];
  /** Default: `MIXED`. */
  readonly locals?: readonly (readonly [count: number, type: number])[];
}

const [I32, I64, F32, F64, V128] = [0x7f, 0x7e, 0x7d, 0x7c, 0x7b];
const END = 0x0b;
/** i32: 0 to 3; i64: 4, 5; f32: 6, 7; f64: 8, 9; v128: 10. */
const MIXED: readonly (readonly [count: number, type: number])[] = [
  [4, I32],
  [2, I64],
  [2, F32],
  [2, F64],
  [1, V128],
];
const get = (local: number) => [0x20, local] as const;
const set = (local: number) => [0x21, local] as const;

const SHAPES: Readonly<Record<string, Shape & { readonly is: HeavyModule["is"] }>> = {
  // Aborts Node 20 and 22 if it is optimised.
  "trunc-sat-of-870000": {
    is: "refused",
    units: 870_000,
    before: get(0),
    unit: [0xb7, 0xfc, 2],
    after: set(0),
  },
  "slow-operators-of-many-functions": {
    is: "refused",
    functions: 60,
    units: 2_000,
    unit: [...get(4), ...get(5), 0x7f, ...set(4)],
  },
  "trunc-sat": { is: "heavy", units: 49_000, unit: [...get(0), 0xb7, 0xfc, 2, ...set(0)] },
  "trunc-sat-to-unsigned-i64": { is: "heavy", units: 49_000, unit: [...get(8), 0xfc, 7, ...set(4)] },
  "trapping-trunc": { is: "heavy", functions: 6, units: 130_000, unit: [...get(8), 0xaa, ...set(0)] },
  "chained-rem": { is: "heavy", units: 49_000, unit: [...get(4), 0x42, 7, 0x81, ...set(4)] },
  "chained-div": { is: "heavy", units: 49_000, unit: [...get(0), 0x23, 0, 0x6d, ...set(0)] },
  "call-indirect": { is: "heavy", units: 49_000, unit: [0x41, 0, 0x11, 1, 0] },
  "table-get": { is: "heavy", units: 49_000, unit: [0x41, 0, 0x25, 0, 0xd1, ...set(0)] },
  "table-set": { is: "heavy", functions: 4, units: 12_000, unit: [0x41, 0, 0xd0, 0x70, 0x26, 0], locals: [[1, I32]] },
  "memory-fill": { is: "heavy", units: 49_000, unit: [0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 11, 0], locals: [[1, I32]] },
  "if-that-sets-a-local": { is: "heavy", units: 79_000, unit: [...get(0), 0x04, 0x40, ...get(1), ...set(0), END] },
  "loop-with-br-if": {
    is: "heavy",
    units: 90_000,
    unit: [0x03, 0x40, ...get(0), 0x0d, 0, END],
    locals: [[1, I32]],
  },
  "float-arithmetic": { is: "heavy", units: 99_000, unit: [...get(8), ...get(9), 0xa0, ...set(8)] },
  "float-vectors": { is: "heavy", units: 99_000, unit: [...get(10), ...get(10), 0xfd, 240, 1, ...set(10)] },
  "integer-vectors": {
    is: "heavy",
    functions: 4,
    units: 99_000,
    unit: [...get(10), ...get(10), 0xfd, 213, 1, ...set(10)],
  },
  rotations: { is: "heavy", functions: 5, units: 99_000, unit: [...get(4), ...get(5), 0x89, ...set(4)] },
  "switch-in-a-loop": { is: "heavy", ...switchInLoop(4_000) },
  "lexer-of-large-switches": { is: "heavy", ...lexer(300, 250) },
  "locals-over-loops": { is: "heavy", functions: 16, units: 300, unit: [0x03, 0x40, END], locals: [[1_900, I64]] },
  // Just within the limits of the optimiser, in enough functions to reach those of the module.
  "light-float-arithmetic": {
    is: "light",
    functions: 19,
    units: 4_500,
    unit: [...get(8), ...get(9), 0xa0, ...set(8)],
  },
  "light-trunc-sat": { is: "light", functions: 40, units: 990, unit: [...get(0), 0xb7, 0xfc, 2, ...set(0)] },
  "light-div": { is: "light", functions: 48, units: 990, unit: [...get(0), 0x23, 0, 0x6d, ...set(0)] },
  "light-loops": {
    is: "light",
    functions: 8,
    units: 1_350,
    unit: [0x03, 0x40, ...get(0), 0x0d, 0, END],
    locals: [[1, I32]],
  },
  "light-ifs": { is: "light", functions: 19, units: 4_000, unit: [...get(0), 0x04, 0x40, ...get(1), ...set(0), END] },
  "light-table-get": { is: "light", functions: 40, units: 990, unit: [0x41, 0, 0x25, 0, 0xd1, ...set(0)] },
  "light-memory-fill": {
    is: "light",
    functions: 45,
    units: 990,
    unit: [0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 11, 0],
    locals: [[1, I32]],
  },
  "light-switches": { is: "light", functions: 16, ...switchInLoop(240) },
};

/** A loop around a `br_table` of this many cases, each of which goes back to the loop. */
function switchInLoop(cases: number): Shape {
  const targets = Array.from({ length: cases }, (_, index) => leb128(index)).flat();
  const bodies = Array.from({ length: cases }, (_, index) => [END, 0x0c, ...leb128(cases - 1 - index)]);
  return {
    units: 1,
    unit: [],
    before: [0x03, 0x40, ...repeated(cases, 0x02, 0x40), ...get(0), 0x0e, ...leb128(cases - 1), ...targets],
    after: [...bodies.flat(), END],
    locals: [[1, I32]],
  };
}

/** As in generated lexers: a loop around a switch, with another switch in each of its cases. */
function lexer(states: number, entries: number): Shape {
  const state = (index: number) => {
    // From within a state: 0 is its own block, the other states' blocks are around it, and the loop is outside of all
    // of them.
    const toLoop = states - 1 - index;
    const targets = Array.from({ length: entries }, () => leb128(toLoop + 1)).flat();
    return [END, 0x02, 0x40, ...get(0), 0x0e, ...leb128(entries), ...targets, 0, END, 0x0c, ...leb128(toLoop)];
  };
  const targets = Array.from({ length: states }, (_, index) => leb128(index)).flat();
  return {
    units: 1,
    unit: [],
    before: [0x03, 0x40, ...repeated(states, 0x02, 0x40), ...get(0), 0x0e, ...leb128(states - 1), ...targets],
    after: [...Array.from({ length: states }, (_, index) => state(index)).flat(), END],
    locals: [[1, I32]],
  };
}

function moduleOf({ units, unit, functions = 1, before = [], after = [], locals = MIXED }: Shape): Bytes {
  const declared = [...leb128(locals.length), ...locals.flatMap(([count, type]) => [...leb128(count), type])];
  const body = joined(declared, before, repeated(units, ...unit), after, [END]);
  const calls = Array.from({ length: functions }, (_, index) => [0x10, ...leb128(index + 2)]).flat();
  // `handle`, then a function that does nothing, then the tested ones.
  const handle = [0, 0x03, 0x40, ...calls, 0x0c, 0, END, 0x41, 0, END];
  const bodies = [handle, [0, END], ...new Array<Uint8Array>(functions).fill(body)];
  return Uint8Array.from(
    joined(
      [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      section(1, [2, 0x60, 0, 1, I32, 0x60, 0, 0]),
      section(3, [...leb128(bodies.length), 0, ...new Array<number>(bodies.length - 1).fill(1)]),
      section(4, [1, 0x70, 0, 10]),
      section(5, [1, 0, 1]),
      section(6, [1, I32, 1, 0x41, 7, END]),
      section(7, [1, 6, ...Buffer.from("handle"), 0, 0]),
      section(9, [1, 0, 0x41, 0, END, 1, 1]),
      section(10, joined(leb128(bodies.length), ...bodies.flatMap((one) => [leb128(one.length), one]))),
    ),
  );
}

function leb128(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb128(value >>> 7)];
}

function repeated(count: number, ...bytes: number[]): Uint8Array {
  return Buffer.alloc(count * bytes.length, Buffer.from(bytes));
}

function joined(...parts: (Uint8Array | readonly number[])[]): Uint8Array {
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

function section(id: number, content: Uint8Array | readonly number[]): Uint8Array {
  return joined([id, ...leb128(content.length)], content);
}

/** Traps immediately: the cost of a host without a heavy module. */
export const idleModule = (): Bytes => moduleOf({ units: 1, unit: [0x00] });

export const HEAVY_MODULES: readonly HeavyModule[] = Object.entries(SHAPES).map(([name, shape]) => ({
  name,
  is: shape.is,
  make: () => moduleOf(shape),
}));

/** With a fixture, which `check` and `lock` run: a call of `handle`, which never answers. */
export function withFixture(module: Bytes): Bytes {
  const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
  const fixtures = [{ name: "a call", event, decision: "none" }];
  return withManifest(module, { name: "heavy", version: "1", abi: 1, fixtures });
}
