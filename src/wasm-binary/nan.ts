import { DENSE_CODES, denseCode } from "./operators.ts";

/**
 * Makes the bits of NaN results deterministic. WebAssembly leaves the bits of a NaN from arithmetic open, and V8's
 * compilers differ. A guard that reads those bits could answer differently before and after optimisation. Therefore a
 * test is inserted after each result that may be a NaN, and replaces any NaN with one fixed NaN. The WebAssembly
 * specification allows that result. NaNs that a program only stores and copies keep their bits.
 */

export type FloatShape = "f32" | "f64" | "f32x4" | "f64x2";

const VECTOR = 0xfd000;

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/**
 * Instructions whose NaN bits depend on the machine. For `abs`, `neg` and `copysign`, the specification fixes the bits.
 */
const ARITHMETIC: readonly (readonly [number, FloatShape])[] = [
  // The codes are ceil, floor, trunc, nearest, sqrt, add, sub, mul, div, min, max; then demote and promote.
  ...[...range(0x8d, 0x97), 0xb6].map((code) => [code, "f32"] as const),
  ...[...range(0x9b, 0xa5), 0xbb].map((code) => [code, "f64"] as const),
  ...[94, ...range(103, 106), ...range(227, 233)].map((code) => [VECTOR | code, "f32x4"] as const),
  ...[95, 116, 117, 122, 148, ...range(239, 245)].map((code) => [VECTOR | code, "f64x2"] as const),
];

const shapes: (FloatShape | undefined)[] = new Array<undefined>(DENSE_CODES).fill(undefined);
for (const [code, shape] of ARITHMETIC) shapes[denseCode(code)] = shape;

/** Returns the type of an instruction's result if its NaN bits depend on the machine, otherwise `undefined`. */
export function floatResult(code: number): FloatShape | undefined {
  return shapes[denseCode(code)];
}

export interface FloatResult {
  /** Offset right after the instruction, where the result is on the stack. */
  readonly at: number;
  readonly shape: FloatShape;
}

/**
 * Instructions that treat all NaNs alike: comparisons, conversions to integers (a trap or 0 for any NaN), and `drop`.
 */
const BLIND: ReadonlySet<number> = new Set([
  0x1a,
  ...range(0x5b, 0x66),
  ...range(0xa8, 0xab),
  ...range(0xae, 0xb1),
  ...range(0xfc00, 0xfc07),
]);

/**
 * Whether the instruction at `start` consumes the result without exposing its NaN bits: it treats all NaNs alike, or
 * its own result is a NaN that is replaced in turn. Vector instructions must use the same lane type.
 */
export function hidesNan(code: number, result: FloatResult | undefined, start: number): boolean {
  if (result?.at !== start) return false;
  const made = floatResult(code);
  const isVector = result.shape === "f32x4" || result.shape === "f64x2";
  if (isVector) return made === result.shape && !CONVERTS_LANES.has(code);
  return made === undefined ? BLIND.has(code) : made === "f32" || made === "f64";
}

/** `f32x4.demote_f64x2_zero` and `f64x2.promote_low_f32x4`, whose operand has other lanes than their result. */
const CONVERTS_LANES: ReadonlySet<number> = new Set([VECTOR | 94, VECTOR | 95]);

/** Type of the local that `canonicalNan` uses. */
export const SCRATCH_TYPE: Readonly<Record<FloatShape, number>> = { f32: 0x7d, f64: 0x7c, f32x4: 0x7b, f64x2: 0x7b };

const F32_NAN = [0, 0, 0xc0, 0x7f];
const F64_NAN = [0, 0, 0, 0, 0, 0, 0xf8, 0x7f];

const FORMS: Readonly<Record<FloatShape, { readonly nan: readonly number[]; readonly choose: readonly number[] }>> = {
  f32: { nan: [0x43, ...F32_NAN], choose: [0x5b, 0x1b] },
  f64: { nan: [0x44, ...F64_NAN], choose: [0x61, 0x1b] },
  f32x4: { nan: [0xfd, 12, ...F32_NAN, ...F32_NAN, ...F32_NAN, ...F32_NAN], choose: [0xfd, 65, 0xfd, 82] },
  f64x2: { nan: [0xfd, 12, ...F64_NAN, ...F64_NAN], choose: [0xfd, 71, 0xfd, 82] },
};

/** Returns code for `x == x ? x : NaN`, with `x` on top of the stack. Works lane by lane for a vector. */
export function canonicalNan(shape: FloatShape, scratch: readonly number[]): number[] {
  const { nan, choose } = FORMS[shape];
  return [0x22, ...scratch, ...nan, 0x20, ...scratch, 0x20, ...scratch, ...choose];
}
