import { DENSE_CODES, denseCode } from "./operators.ts";

/**
 * Which of its bits a NaN has that arithmetic made is left open by WebAssembly, and V8's compilers differ: a guard that
 * looks at them would answer one thing cold and another one warm. So each such result is put through a test that makes
 * any NaN the one and same. The format allows exactly that, and programs that carry their own NaNs about keep them.
 */

export type FloatShape = "f32" | "f64" | "f32x4" | "f64x2";

const VECTOR = 0xfd000;

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Instructions whose NaN has bits of the machine's choice. `abs`, `neg` and `copysign` are about bits, and say which. */
const ARITHMETIC: readonly (readonly [number, FloatShape])[] = [
  // ceil, floor, trunc, nearest, sqrt, add, sub, mul, div, min, max; then demote and promote.
  ...[...range(0x8d, 0x97), 0xb6].map((code) => [code, "f32"] as const),
  ...[...range(0x9b, 0xa5), 0xbb].map((code) => [code, "f64"] as const),
  ...[94, ...range(103, 106), ...range(227, 233)].map((code) => [VECTOR | code, "f32x4"] as const),
  ...[95, 116, 117, 122, 148, ...range(239, 245)].map((code) => [VECTOR | code, "f64x2"] as const),
];

const shapes: (FloatShape | undefined)[] = new Array<undefined>(DENSE_CODES).fill(undefined);
for (const [code, shape] of ARITHMETIC) shapes[denseCode(code)] = shape;

/** What the instruction's result is, if its bits are not settled. */
export function floatResult(code: number): FloatShape | undefined {
  return shapes[denseCode(code)];
}

export interface FloatResult {
  /** Where the result is on the stack, and nothing has been done with it. */
  readonly at: number;
  readonly shape: FloatShape;
}

/** Comparisons, conversions to integers that trap on any NaN or take it for zero, and `drop`. */
const BLIND: ReadonlySet<number> = new Set([
  0x1a,
  ...range(0x5b, 0x66),
  ...range(0xa8, 0xab),
  ...range(0xae, 0xb1),
  ...range(0xfc00, 0xfc07),
]);

/**
 * Whether the instruction at `start` takes the result and shows nothing of its bits: it makes a NaN of any NaN, which
 * is then looked at itself, or tells none from another. Lanes of a vector must be taken as what they were made.
 */
export function hidesNan(code: number, result: FloatResult | undefined, start: number): boolean {
  if (result?.at !== start) return false;
  const made = floatResult(code);
  const isVector = result.shape === "f32x4" || result.shape === "f64x2";
  if (isVector) return made === result.shape && !CONVERTS_LANES.has(code);
  return made === undefined ? BLIND.has(code) : made === "f32" || made === "f64";
}

/** `f32x4.demote_f64x2_zero` and `f64x2.promote_low_f32x4`: named for what they make, not for what they take. */
const CONVERTS_LANES: ReadonlySet<number> = new Set([VECTOR | 94, VECTOR | 95]);

/** The type of the local that `canonicalNan` needs. */
export const SCRATCH_TYPE: Readonly<Record<FloatShape, number>> = { f32: 0x7d, f64: 0x7c, f32x4: 0x7b, f64x2: 0x7b };

const F32_NAN = [0, 0, 0xc0, 0x7f];
const F64_NAN = [0, 0, 0, 0, 0, 0, 0xf8, 0x7f];

const FORMS: Readonly<Record<FloatShape, { readonly nan: readonly number[]; readonly choose: readonly number[] }>> = {
  f32: { nan: [0x43, ...F32_NAN], choose: [0x5b, 0x1b] },
  f64: { nan: [0x44, ...F64_NAN], choose: [0x61, 0x1b] },
  f32x4: { nan: [0xfd, 12, ...F32_NAN, ...F32_NAN, ...F32_NAN, ...F32_NAN], choose: [0xfd, 65, 0xfd, 82] },
  f64x2: { nan: [0xfd, 12, ...F64_NAN, ...F64_NAN], choose: [0xfd, 71, 0xfd, 82] },
};

/** `x == x ? x : NaN` for the value on top of the stack; lane by lane for a vector. */
export function canonicalNan(shape: FloatShape, scratch: readonly number[]): number[] {
  const { nan, choose } = FORMS[shape];
  return [0x22, ...scratch, ...nan, 0x20, ...scratch, 0x20, ...scratch, ...choose];
}
