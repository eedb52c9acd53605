import { describe, expect, test } from "vitest";
import { wat } from "../helpers/guests.ts";
import { MeteredGuest, running } from "./metered-guest.ts";

// V8's baseline and its optimising compiler give a NaN different bits, and a guard's answer could depend on which one
// compiled it.

const CANONICAL = { f32: 0x7fc00000n, f64: 0x7ff8000000000000n };
const bits = (type: "f32" | "f64", value: string): string =>
  type === "f64" ? `(i64.reinterpret_f64 ${value})` : `(i64.extend_i32_u (i32.reinterpret_f32 ${value}))`;

/** NaNs with unusual bits, quiet and signalling, negative and positive, and operations that result in a NaN. */
const ODD = {
  f32: ["(f32.const nan:0x200001)", "(f32.const -nan:0x400002)", "(f32.const -inf)", "(f32.const 0)"],
  f64: ["(f64.const nan:0x4000000000001)", "(f64.const -nan:0x8000000000002)", "(f64.const -inf)", "(f64.const 0)"],
};
const BINARY = ["add", "sub", "mul", "div", "min", "max"];
const UNARY = ["ceil", "floor", "trunc", "nearest", "sqrt"];

function cases(type: "f32" | "f64"): string[] {
  const odd = ODD[type];
  const other = type === "f32" ? "f64" : "f32";
  const cross = type === "f32" ? "f32.demote_f64" : "f64.promote_f32";
  return [
    ...UNARY.flatMap((name) => odd.map((a) => `(${type}.${name} ${a})`)),
    ...BINARY.flatMap((name) => odd.flatMap((a) => odd.map((b) => `(${type}.${name} ${a} ${b})`))),
    ...ODD[other].map((a) => `(${cross} ${a})`),
  ];
}

describe.each(["f32", "f64"] as const)("%s arithmetic", (type) => {
  test("that results in a NaN has the same one with each compiler", async () => {
    const all = cases(type);
    // A compiler folds constants and computes locals; guards contain both.
    const functions = all.flatMap((expression, index) => {
      const operands = expression.slice(1, -1).match(/\([^)]*\)/g) ?? [];
      let inLocals = expression;
      const sets = operands.map((operand, at) => {
        inLocals = inLocals.replace(operand, `(local.get ${at})`);
        return `(local.set ${at} ${operand})`;
      });
      const locals = `(local ${operands.map((operand) => operand.slice(1, 4)).join(" ")})`;
      return [
        `(func (export "constant-${index}") (result i64) ${bits(type, expression)})`,
        `(func (export "local-${index}") (result i64) ${locals} ${sets.join("")} ${bits(type, inLocals)})`,
      ];
    });
    const handle = '(func (export "handle") (result i32) (i32.const 0))';
    const module = wat(`(module ${functions.join("\n")} ${handle})`);
    const guest = await MeteredGuest.of(module);
    const isNan = (value: bigint): boolean => {
      const [size, fraction] = type === "f32" ? [8, 23] : [11, 52];
      const exponent = (1n << BigInt(size)) - 1n;
      return ((value >> BigInt(fraction)) & exponent) === exponent && (value & ((1n << BigInt(fraction)) - 1n)) !== 0n;
    };
    let nans = 0;
    for (const [index, expression] of all.entries()) {
      for (const name of [`constant-${index}`, `local-${index}`]) {
        const value = BigInt.asUintN(64, guest.run(name).result as bigint);
        if (!isNan(value)) continue;
        nans += 1;
        expect([expression, value]).toEqual([expression, CANONICAL[type]]);
      }
    }
    expect(nans).toBeGreaterThan(50);
  });

  test("that does not read bits does not change a NaN", async () => {
    const [nan = ""] = ODD[type];
    const plain = type === "f32" ? 0x7fa00001n : 0x7ff4000000000001n;
    const negative = plain | (type === "f32" ? 1n << 31n : 1n << 63n);
    for (const [expression, expected] of [
      [`(${type}.abs (${type}.neg ${nan}))`, plain],
      [`(${type}.neg ${nan})`, negative],
      [`(${type}.copysign ${nan} (${type}.const -1))`, negative],
      [`(${type}.load (i32.const 0))`, plain],
      [`(select ${nan} ${nan} (i32.const 0))`, plain],
    ] as const) {
      const store = `(${type}.store (i32.const 0) ${nan})`;
      const guest = await MeteredGuest.of(running(`${store} ${bits(type, expression)}`, "(memory 1)", "(result i64)"));
      expect([expression, BigInt.asUintN(64, guest.run("run").result as bigint)]).toEqual([expression, expected]);
    }
  });
});

const LANES = {
  f32x4: ["f32x4.splat (f32.const nan:0x200001)", CANONICAL.f32 * 0x100000001n],
  f64x2: ["f64x2.splat (f64.const nan:0x4000000000001)", CANONICAL.f64],
} as const; // prettier-ignore

describe.each(["f32x4", "f64x2"] as const)("%s arithmetic", (shape) => {
  test.each([...UNARY, ...BINARY])("with %s has the same NaN in each lane", async (name) => {
    const [nan, expected] = LANES[shape];
    const operands = `(${nan})`.repeat(BINARY.includes(name) ? 2 : 1);
    for (const lane of [0, 1]) {
      const guest = await MeteredGuest.of(
        running(`(i64x2.extract_lane ${lane} (${shape}.${name} ${operands}))`, "", "(result i64)"),
      );
      expect(BigInt.asUintN(64, guest.run("run").result as bigint)).toBe(expected);
    }
  });

  test("does not change numbers", async () => {
    const three = shape === "f32x4" ? "(f32x4.splat (f32.const 3))" : "(f64x2.splat (f64.const 3))";
    const guest = await MeteredGuest.of(
      running(`(i64x2.extract_lane 1 (${shape}.add ${three} ${three}))`, "", "(result i64)"),
    );
    expect(guest.run("run").result).toBe(shape === "f32x4" ? 0x40c0000040c00000n : 0x4018000000000000n);
  });
});

test.each([
  ["f64.add", "(i64.reinterpret_f64 (f64.add (f64.mul (local.get 0) (f64.const 2)) (f64.const 1)))"],
  ["f64.min", "(i64.reinterpret_f64 (f64.min (f64.const 1) (f64.div (local.get 0) (local.get 0))))"],
  ["f64.promote_f32", "(i64.reinterpret_f64 (f64.promote_f32 (f32.demote_f64 (f64.sqrt (local.get 0)))))"],
  ["f64.neg", "(i64.reinterpret_f64 (f64.neg (f64.neg (f64.sub (local.get 0) (f64.const 1)))))"],
  [
    "f32x4.add",
    `(i64x2.extract_lane 0 (f32x4.add (f64x2.add (f64x2.splat (local.get 0)) (f64x2.splat (f64.const 1)))
      (f32x4.splat (f32.const 0))))`,
  ],
])("an intermediate NaN is the same at the end, with %s last", async (_, expression) => {
  // NaNs of two kinds, negative and with a payload, each cold and warm.
  const guest = await MeteredGuest.of(running(expression, "", "(param f64) (result i64)"));
  const seen = new Set<unknown>();
  for (let call = 0; call < 100_000; call += 1) seen.add(guest.run("run", [Number.NaN]).result);
  const fresh = await MeteredGuest.of(running(expression, "", "(param f64) (result i64)"));
  seen.add(fresh.run("run", [Number.NaN]).result);
  expect(seen.size).toBe(1);
});

test("vectors that become narrower or wider have the same NaN", async () => {
  const demoted = running(
    "(i64x2.extract_lane 0 (f32x4.demote_f64x2_zero (f64x2.splat (f64.const nan:0x4000000000001))))",
    "",
    "(result i64)",
  );
  expect((await MeteredGuest.of(demoted)).run("run").result).toBe(0x7fc000007fc00000n);
  const promoted = running(
    "(i64x2.extract_lane 1 (f64x2.promote_low_f32x4 (f32x4.splat (f32.const nan:0x200001))))",
    "",
    "(result i64)",
  );
  expect((await MeteredGuest.of(promoted)).run("run").result).toBe(CANONICAL.f64);
});

test("a NaN has the same bits cold and warm", async () => {
  const guest = await MeteredGuest.of(
    running("(local f64) (i64.reinterpret_f64 (f64.div (local.get 0) (local.get 0)))", "", "(result i64)"),
  );
  const seen = new Set<unknown>();
  // The optimising compiler takes over at some point.
  for (let call = 0; call < 300_000; call += 1) seen.add(guest.run("run").result);
  expect([...seen]).toEqual([CANONICAL.f64]);
});
