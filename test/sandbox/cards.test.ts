import { describe, expect, test } from "vitest";
import { ALL_CARDS, CARD_BYTES, cardsOf, markedRanges } from "../../src/sandbox/guest/cards.ts";
import { GuestInstance } from "../../src/sandbox/guest/guest-instance.ts";
import fc from "../helpers/fc.ts";
import { moduleWith } from "../helpers/guests.ts";
import { admitted } from "./module-requirements.ts";

/** More cards than marks have bits, so that cards share bits. */
const PAGES = 40;
const BYTES = PAGES * 65_536;

/** Each instruction that writes memory, as a function of an address and a value. The second number is its offset. */
const STORES: readonly (readonly [name: string, text: string])[] = [
  ["i32.store", "(i32.store OFFSET (local.get 0) (local.get 1))"],
  ["i32.store8", "(i32.store8 OFFSET (local.get 0) (local.get 1))"],
  ["i32.store16", "(i32.store16 OFFSET (local.get 0) (local.get 1))"],
  ["i64.store", "(i64.store OFFSET (local.get 0) (i64.mul (i64.extend_i32_u (local.get 1)) (i64.const 4294967297)))"],
  ["i64.store8", "(i64.store8 OFFSET (local.get 0) (i64.extend_i32_u (local.get 1)))"],
  ["i64.store16", "(i64.store16 OFFSET (local.get 0) (i64.extend_i32_u (local.get 1)))"],
  ["i64.store32", "(i64.store32 OFFSET (local.get 0) (i64.extend_i32_u (local.get 1)))"],
  ["f32.store", "(f32.store OFFSET (local.get 0) (f32.convert_i32_u (local.get 1)))"],
  ["f64.store", "(f64.store OFFSET (local.get 0) (f64.convert_i32_u (local.get 1)))"],
  ["v128.store", "(v128.store OFFSET (local.get 0) (i32x4.splat (local.get 1)))"],
  ["v128.store8_lane", "(v128.store8_lane OFFSET 3 (local.get 0) (i32x4.splat (local.get 1)))"],
  ["v128.store16_lane", "(v128.store16_lane OFFSET 3 (local.get 0) (i32x4.splat (local.get 1)))"],
  ["v128.store32_lane", "(v128.store32_lane OFFSET 3 (local.get 0) (i32x4.splat (local.get 1)))"],
  ["v128.store64_lane", "(v128.store64_lane OFFSET 1 (local.get 0) (i32x4.splat (local.get 1)))"],
];
const OFFSETS = [0, 1, CARD_BYTES - 1, CARD_BYTES, 1_000_000, 4_294_967_295];
const NAMES = STORES.flatMap(([name]) => OFFSETS.map((offset) => ({ name: `${name}+${offset}`, offset })));

const FIELDS = `(memory 1 ${PAGES + 2}) (data (i32.const 16380) "across a card") (data $passive "${"segment ".repeat(4_000)}")
  ${STORES.flatMap(([name, text]) =>
    OFFSETS.map(
      (offset) =>
        `(func (export "${name}+${offset}") (param i32 i32) ${text.replace("OFFSET", offset === 0 ? "" : `offset=${offset}`)})`,
    ),
  ).join("\n")}
  (func (export "fill") (param i32 i32 i32) (memory.fill (local.get 0) (local.get 1) (local.get 2)))
  (func (export "copy") (param i32 i32 i32) (memory.copy (local.get 0) (local.get 1) (local.get 2)))
  (func (export "init") (param i32 i32 i32) (memory.init $passive (local.get 0) (local.get 1) (local.get 2)))
  (func (export "grow") (param i32) (drop (memory.grow (local.get 0))))`;

type Step = readonly [name: string, ...values: number[]];

const card = fc.nat(BYTES / CARD_BYTES);
/** An address near the beginning or the end of a card, or any address. */
const near = fc.oneof(
  fc.tuple(card, fc.integer({ min: -20, max: 20 })).map(([at, by]) => Math.max(0, at * CARD_BYTES + by)),
  fc.nat(BYTES),
);
const length = fc.oneof(
  fc.nat(64),
  fc.nat(3 * CARD_BYTES),
  fc.constantFrom(0, 1, CARD_BYTES - 1, CARD_BYTES, CARD_BYTES + 1),
);
const store = fc
  .tuple(fc.constantFrom(...NAMES), near, fc.integer())
  .map(([{ name, offset }, at, value]): Step => [name, Math.max(0, at - offset), value]);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: store },
  fc.tuple(fc.constant("fill" as const), near, fc.nat(255), length),
  fc.tuple(fc.constant("copy" as const), near, near, length),
  fc.tuple(fc.constant("init" as const), near, fc.nat(100), length),
);

describe("memory that is restored by its marks", () => {
  test("is the first memory in each byte, after any writes", async () => {
    const { module } = await admitted(moduleWith(FIELDS.replace("(memory 1 ", `(memory ${PAGES} `)), {
      memoryBytes: 2 * BYTES,
    });
    expect(module.state.marks).toBeDefined();
    const instance = new GuestInstance(await WebAssembly.instantiate(module.compiled, {}), module.state);
    const memory = (): Buffer => Buffer.from(instance.memory?.buffer ?? new ArrayBuffer(0));
    const pristine = Buffer.from(memory());
    const run = ([name, ...values]: Step): void => {
      try {
        (instance.exports[name] as (...values: number[]) => void)(...values);
      } catch {
        // A write outside of memory writes nothing.
      }
    };
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        instance.fill(1e12, 65_536);
        for (const one of steps) run(one);
        const isChanged = !memory().equals(pristine);
        expect(instance.restore()).toBe(true);
        expect(memory().equals(pristine)).toBe(true);
        return isChanged || steps.length < 12;
      }),
      { numRuns: 500 },
    );
  });

  test.each(NAMES)("is restored after $name at each byte around the end of a card", async ({ name, offset }) => {
    const { module } = await admitted(moduleWith(FIELDS.replace("(memory 1 ", `(memory ${PAGES} `)), {
      memoryBytes: 2 * BYTES,
    });
    const instance = new GuestInstance(await WebAssembly.instantiate(module.compiled, {}), module.state);
    const memory = (): Buffer => Buffer.from(instance.memory?.buffer ?? new ArrayBuffer(0));
    const pristine = Buffer.from(memory());
    const last = BYTES - 16;
    for (const at of [...Array.from({ length: 34 }, (_, by) => 65 * CARD_BYTES + by - 17), last].filter(
      (at) => at >= offset,
    )) {
      instance.fill(1e12, 65_536);
      (instance.exports[name] as (at: number, value: number) => void)(at - offset, -1);
      expect(memory().equals(pristine), `${at}`).toBe(false);
      instance.restore();
      expect(memory().equals(pristine), `${at}`).toBe(true);
    }
  });

  test("is not restored if it grew", async () => {
    const { module } = await admitted(moduleWith(FIELDS));
    const instance = new GuestInstance(await WebAssembly.instantiate(module.compiled, {}), module.state);
    instance.fill(1e12, 65_536);
    (instance.exports["grow"] as (pages: number) => void)(1);
    expect(instance.restore()).toBe(false);
  });

  test("is restored as a whole without marks, in a module with too many stores to mark", async () => {
    const { module } = await admitted(
      moduleWith(`(memory 1) (func (export "write") ${"(i32.store (i32.const 8) (i32.const 1))".repeat(20_001)})`),
    );
    expect(module.state.marks).toBeUndefined();
    const instance = new GuestInstance(await WebAssembly.instantiate(module.compiled, {}), module.state);
    instance.fill(1e12, 65_536);
    (instance.exports["write"] as () => void)();
    expect(instance.restore()).toBe(true);
    expect(new Uint8Array(instance.memory?.buffer ?? new ArrayBuffer(0)).every((byte) => byte === 0)).toBe(true);
  });
});

test("the cards of a write by the host are those of each of its bytes", () => {
  fc.assert(
    fc.property(near, fc.oneof(length, fc.nat(BYTES)), (address, bytes) => {
      const end = Math.min(BYTES, address + bytes);
      const ranges = markedRanges(cardsOf(address, bytes), BYTES);
      for (const at of [address, address + (bytes >> 1), end - 1].filter((at) => at >= address && at < end))
        expect(ranges.some(([from, to]) => at >= from && at < to)).toBe(true);
    }),
  );
  expect(markedRanges(0n, BYTES)).toEqual([]);
  expect(markedRanges(ALL_CARDS, BYTES)).toEqual([[0, BYTES]]);
  expect(markedRanges(1n, BYTES)).toEqual([
    [0, CARD_BYTES + 15],
    [64 * CARD_BYTES, 65 * CARD_BYTES + 15],
  ]);
});
