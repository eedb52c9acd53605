import { describe, expect, test } from "vitest";
import { GuestInstance } from "../../src/sandbox/guest/guest-instance.ts";
import fc from "../helpers/fc.ts";
import { customSection, moduleWith, sectionsOf, spliced } from "../helpers/guests.ts";
import { admitted } from "./module-requirements.ts";

interface Exports {
  readonly write: (at: number, value: number) => void;
  readonly read: (at: number) => number;
  readonly grow: (pages: number) => number;
  readonly set: (integer: number, long: bigint, single: number, double: number) => void;
  readonly integer: () => number;
  readonly long: () => bigint;
  readonly single: () => number;
  readonly double: () => number;
}

const MEMORY = `
  (func (export "write") (param i32 i32) (i32.store (local.get 0) (local.get 1)))
  (func (export "read") (param i32) (result i32) (i32.load (local.get 0)))
  (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))`;

const STATEFUL = `(memory 1 4) (data (i32.const 100) "pristine")
  (global $integer (mut i32) (i32.const -7))
  (global $constant i32 (i32.const 3))
  (global $long (mut i64) (i64.const -9223372036854775808))
  (global $single (mut f32) (f32.const -0))
  (global $double (mut f64) (f64.const 1.5e300))
  (func (export "set") (param i32 i64 f32 f64)
    (global.set $integer (local.get 0)) (global.set $long (local.get 1))
    (global.set $single (local.get 2)) (global.set $double (local.get 3)))
  (func (export "integer") (result i32) (global.get $integer))
  (func (export "long") (result i64) (global.get $long))
  (func (export "single") (result f32) (global.get $single))
  (func (export "double") (result f64) (global.get $double))
  ${MEMORY}`;

async function instanceOf(fields: string): Promise<{ instance: GuestInstance; exports: Exports }> {
  const { module } = await admitted(moduleWith(fields));
  const instance = new GuestInstance(await WebAssembly.instantiate(module.compiled, {}), module.state);
  instance.fill(1e15, 1e9);
  return { instance, exports: instance.exports as unknown as Exports };
}

describe("an instance that is restored", () => {
  test("has its first memory and globals, whatever a call wrote", async () => {
    const { instance, exports } = await instanceOf(STATEFUL);
    const memoryOf = (): Uint8Array => new Uint8Array(instance.memory?.buffer ?? new ArrayBuffer(0)).slice();
    const globalsOf = (): unknown[] => [exports.integer(), exports.long(), exports.single(), exports.double()];
    const pristine = memoryOf();
    expect(pristine.byteLength).toBe(65_536);

    const address = fc.integer({ min: 0, max: 65_532 });
    const write = fc.tuple(address, fc.integer());
    const globals = fc.tuple(
      fc.integer(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.float(),
      fc.double(),
    );
    fc.assert(
      fc.property(fc.array(write, { maxLength: 20 }), globals, (writes, values) => {
        for (const [at, value] of writes) exports.write(at, value);
        exports.set(...values);
        exports.grow(0);
        expect(instance.restore()).toBe(true);
        expect(Buffer.compare(memoryOf(), pristine)).toBe(0);
        expect(globalsOf()).toEqual([-7, -(2n ** 63n), -0, 1.5e300]);
      }),
      { numRuns: 200 },
    );
  });

  test("is not used again if its memory grew", async () => {
    const { instance, exports } = await instanceOf(STATEFUL);
    expect(exports.grow(1)).toBe(1);
    expect(instance.restore()).toBe(false);
  });

  test("is not used again if the first value of a global is a NaN, because JavaScript does not preserve its bits", async () => {
    const { instance } = await instanceOf(
      "(global $g (mut f32) (f32.const nan:0x200001)) (func (global.set $g (f32.const 0)))",
    );
    expect(instance.restore()).toBe(false);
  });

  test.each([
    ["a table", "(table $t 1 funcref) (func (table.set $t (i32.const 0) (ref.null func)))"],
    ["a data segment", '(memory 1) (data $d "x") (func (data.drop $d))'],
    [
      "a reference in a global",
      "(global $g (mut externref) (ref.null extern)) (func (global.set $g (ref.null extern)))",
    ],
  ])("is not used again if the module can change %s", async (_, fields) => {
    const { instance } = await instanceOf(fields);
    expect(instance.restore()).toBe(false);
  });

  test("needs neither memory nor globals", async () => {
    const { instance } = await instanceOf("");
    expect(instance.memory).toBeUndefined();
    expect(instance.restore()).toBe(true);
  });

  test("is restored even if the guest does not export its memory, or exports another object under that name", async () => {
    expect((await instanceOf(`(memory 2) ${MEMORY}`)).instance.memory?.buffer.byteLength).toBe(131_072);
    const { instance } = await instanceOf('(memory 2) (func (export "memory"))');
    expect(instance.memory?.buffer.byteLength).toBe(131_072);
  });
});

describe("making a module's state reachable", () => {
  test("keeps the guest's own exports, and adds only names of ours", async () => {
    const { module } = await admitted(
      moduleWith(`(memory (export "memory") 1) (global $g (export "g") (mut i32) (i32.const 1))`),
    );
    const names = WebAssembly.Module.exports(module.compiled).map(({ name }) => name);
    expect(names.slice(0, 3).sort()).toEqual(["g", "handle", "memory"]);
    expect(names.slice(3).every((name) => name.startsWith("hookbox:"))).toBe(true);
  });

  test("works wherever custom sections are, and with a count of exports in a longer encoding", async () => {
    const module = moduleWith(
      '(memory 1) (global $g (mut i32) (i32.const 0)) (func (global.set $g (i32.const 1))) (data "x")',
    );
    const exports = sectionsOf(module).find(({ id }) => id === 7);
    if (exports === undefined) throw new Error("no export section");
    const size = exports.end - exports.content + 1;
    const padded = spliced(module, { start: exports.start, end: exports.content + 1 }, [7, size, 0x81, 0x00]);
    const custom = customSection("between", 60);
    const boundaries = [8, ...sectionsOf(module).map(({ end }) => end)];
    for (const variant of [padded, ...boundaries.map((at) => spliced(module, { start: at, end: at }, custom))]) {
      const { module: made } = await admitted(variant);
      const names = WebAssembly.Module.exports(made.compiled).map(({ name }) => name);
      expect(names).toEqual([
        "handle",
        made.state.memory,
        made.state.fuel,
        made.state.depth,
        made.state.marks,
        ...(made.state.globals ?? []),
      ]);
      expect(made.state.globals).toHaveLength(1);
    }
  });

  test("works for more exports and globals than one byte can count", async () => {
    const globals = Array.from(
      { length: 300 },
      (_, index) => `(global $g${index} (export "g${index}") (mut i32) (i32.const ${index}))`,
    );
    const bumps = globals.map((_, index) => `(global.set $g${index} (i32.const -1))`);
    const { instance } = await instanceOf(`${globals.join("")} (func (export "bump") ${bumps.join("")})`);
    const { bump, ...exports } = instance.exports as unknown as { bump: () => void } & Record<
      string,
      WebAssembly.Global
    >;
    bump();
    expect(exports["g299"]?.value).toBe(-1);
    expect(instance.restore()).toBe(true);
    expect(globals.map((_, index) => exports[`g${index}`]?.value)).toEqual(globals.map((_, index) => index));
  });
});
