import { describe, expect, test } from "vitest";
import { admit } from "../../src/sandbox/admission/admission.ts";
import { type ModuleBinary, readModule } from "../../src/wasm-binary/module-binary.ts";
import { formatSignature } from "../../src/wasm-binary/signature.ts";
import { customSection, HANDLE, moduleWith, sectionsOf, spliced, wat } from "../helpers/guests.ts";
import { requirements } from "./module-requirements.ts";

const MEMORY = 5;

/** Whether a module is refused, or gets a new instance for each call: it may not be treated as harmless. */
function isCaught(module: Uint8Array<ArrayBuffer>): boolean {
  let binary: ModuleBinary;
  try {
    binary = readModule(module);
  } catch {
    return true;
  }
  return binary.lastingOperator !== undefined || !binary.onlyNumbers;
}

describe("reading a module", () => {
  test("finds every import with its kind, and the signatures of functions", () => {
    const { imports } = readModule(
      wat(`(module
        (import "a" "f" (func (param i32 i64 f32 f64) (result i64)))
        (import "b" "t" (table 1 funcref))
        (import "c" "m" (memory 1))
        (import "d" "g" (global i32))
        (import "e" "ü\\u{1f512}" (func)))`),
    );
    expect(imports).toEqual([
      {
        module: "a",
        name: "f",
        kind: "function",
        signature: { params: ["i32", "i64", "f32", "f64"], results: ["i64"] },
      },
      { module: "b", name: "t", kind: "table", signature: undefined },
      { module: "c", name: "m", kind: "memory", signature: undefined },
      { module: "d", name: "g", kind: "global", signature: undefined },
      { module: "e", name: "ü🔒", kind: "function", signature: { params: [], results: [] } },
    ]);
  });

  test("finds the signatures of exported functions, counting imported ones first", () => {
    const { exports } = readModule(
      wat(`(module
        (import "a" "f" (func $f (param i64)))
        (import "a" "g" (global i32))
        (import "a" "h" (func $h (result f32)))
        (func $own (param i32) (result i32) local.get 0)
        (export "own" (func $own)) (export "again" (func $f)) (export "third" (func $h))
        (memory (export "memory") 1))`),
    );
    expect(exports.map(({ name, kind, signature }) => [name, kind, signature && formatSignature(signature)])).toEqual([
      ["own", "function", "(i32) -> i32"],
      ["again", "function", "(i64) -> nothing"],
      ["third", "function", "() -> f32"],
      ["memory", "memory", undefined],
    ]);
  });

  test("counts imported memories together with the module's own", () => {
    expect(readModule(moduleWith("")).memories).toBe(0);
    expect(readModule(moduleWith("(memory 1)")).memories).toBe(1);
    expect(readModule(moduleWith('(import "a" "m" (memory 1))')).memories).toBe(1);
    expect(readModule(moduleWith('(import "a" "m" (memory 1)) (memory 1)')).memories).toBe(2);
  });

  test("finds a start section", () => {
    expect(readModule(moduleWith("(func $f)")).hasStart).toBe(false);
    expect(readModule(moduleWith("(func $f) (start $f)")).hasStart).toBe(true);
  });

  test("distinguishes a declared maximum from none", () => {
    expect(readModule(moduleWith("(memory 3)")).memory).toMatchObject({
      initialPages: 3,
      maximumPages: undefined,
      flags: 0,
    });
    expect(readModule(moduleWith("(memory 3 70)")).memory).toMatchObject({
      initialPages: 3,
      maximumPages: 70,
      flags: 1,
    });
    expect(readModule(moduleWith("(memory 0 65536)")).memory).toMatchObject({ initialPages: 0, maximumPages: 65_536 });
  });

  test("reports which globals a call can change, and whether all are numbers", () => {
    const numbers = readModule(
      moduleWith("(global i32 (i32.const 0)) (global (mut i64) (i64.const 0)) (global (mut f64) (f64.const 0))"),
    );
    expect(numbers).toMatchObject({ mutableGlobals: [1, 2], onlyNumbers: true, lastingOperator: undefined });
    expect(readModule(moduleWith("(global (mut funcref) (ref.null func))")).onlyNumbers).toBe(false);
    expect(readModule(moduleWith("(global (mut v128) (v128.const i64x2 0 0))")).onlyNumbers).toBe(false);
  });
});

describe("the span of the memory section is exact", () => {
  const plain = moduleWith("(table 4 funcref) (memory 2 9) (global (mut i32) (i32.const 0))");
  const at = sectionsOf(plain).find(({ id }) => id === MEMORY)?.start ?? 0;
  const custom = customSection("note", 40);

  test.each([
    ["behind a table section", plain],
    ["behind a custom section", spliced(plain, { start: at, end: at }, custom)],
    [
      "at the very beginning of a module's custom sections",
      spliced(plain, { start: 8, end: 8 }, [...custom, ...custom]),
    ],
    [
      "with its size padded to five bytes",
      spliced(plain, { start: at + 1, end: at + 2 }, [0x84, 0x80, 0x80, 0x80, 0x00]),
    ],
    ["in a module of nothing else", wat("(module (memory 2 9))")],
  ])("%s", (_, module) => {
    expect(WebAssembly.validate(module)).toBe(true);
    const expected = sectionsOf(module).find(({ id }) => id === MEMORY);
    const { memory } = readModule(module);
    expect(memory).toMatchObject({ initialPages: 2, maximumPages: 9 });
    const section = readModule(module).sections.find(({ id }) => id === MEMORY);
    expect(section).toMatchObject({ start: expected?.start, content: expected?.content, end: expected?.end });
  });

  // The parser counts from the start of the buffer behind the view, a splice from the start of the view.
  test("in a view of a larger buffer, as Node's small buffers are", () => {
    const pool = new Uint8Array(8_192).fill(0xaa);
    pool.set(plain, 1_000);
    const view = pool.subarray(1_000, 1_000 + plain.byteLength);
    expect(readModule(view)).toEqual(readModule(plain));
  });
});

describe("a module cannot hide", () => {
  test("that its memory is shared, behind an entry count in a longer encoding", () => {
    const module = moduleWith("(memory 1 2 shared)");
    const section = sectionsOf(module).find(({ id }) => id === MEMORY);
    if (section === undefined) throw new Error("no memory section");
    const padded = spliced(module, section, [MEMORY, 5, 0x81, 0x00, 3, 1, 2]);
    expect(WebAssembly.validate(padded)).toBe(true);
    expect(readModule(module).memory?.flags).toBe(3);
    expect(readModule(padded).memory?.flags).toBe(3);
  });

  test.each([
    ["table.set", "(table.set $t (i32.const 0) (ref.null func))"],
    ["table.grow", "(drop (table.grow $t (ref.null func) (i32.const 1)))"],
    ["table.fill", "(table.fill $t (i32.const 0) (ref.null func) (i32.const 1))"],
    ["table.copy", "(table.copy $t $t (i32.const 0) (i32.const 0) (i32.const 1))"],
    ["table.init", "(table.init $t $e (i32.const 0) (i32.const 0) (i32.const 1))"],
    ["elem.drop", "(elem.drop $e)"],
    ["data.drop", "(data.drop $d)"],
  ])("%s: tables and segments outlive a call", (_, instruction) => {
    const fields = `(table $t 1 funcref) (memory 1) (elem $e func) (data $d "x")`;
    expect(isCaught(moduleWith(fields))).toBe(false);
    expect(isCaught(moduleWith(`${fields} (func $f) (func $unused ${instruction})`))).toBe(true);
  });

  // The parser reads the table index of a call_indirect as one byte. For index 256 the second byte is left over and is
  // read as the opcode of a block, which takes the following table.set for its type. Valid on every Node.
  test("an instruction behind a table index of two bytes", async () => {
    const tables = "(table 1 funcref)".repeat(256);
    const module =
      wat(`(module (type $v (func)) ${tables} (table $far 1 funcref) (elem (table $far) (i32.const 0) func $noop)
      (func $noop)
      (func $keep (i32.const 0) (ref.func $noop) (call_indirect $far (type $v) (i32.const 0)) (table.set 0))
      ${HANDLE})`);
    expect(WebAssembly.validate(module)).toBe(true);
    const admission = await admit(module, requirements());
    expect(admission.ok ? admission.module.state.globals : undefined).toBeUndefined();
  });

  // Engines with several memories (Node 22 and later) read a memory index after bit 6 of a load's flags; the parser
  // takes the index for the offset, and the offset (0x0c, a branch) for an instruction that swallows the table.set.
  test("an instruction behind a memory index in a store", () => {
    const module = wat(`(module (memory 1) (table 1 funcref) (elem declare func $f)
      (func $f (i32.const 0) (ref.func $f) (i32.const 0) (i32.const 0) (i32.store offset=12) (table.set 0)) ${HANDLE})`);
    const at = Buffer.from(module).indexOf(Buffer.from([0x36, 0x02, 0x0c, 0x26, 0x00]));
    const code = sectionsOf(module).find(({ id }) => id === 10);
    if (at < 0 || code === undefined) throw new Error("not assembled as expected");
    const longer = spliced(module, { start: at, end: at + 3 }, [0x36, 0x42, 0x00, 0x0c]);
    // One byte more in the section and in its first function.
    longer[code.start + 1] = (longer[code.start + 1] ?? 0) + 1;
    longer[code.content + 1] = (longer[code.content + 1] ?? 0) + 1;
    expect(sectionsOf(longer).at(-1)?.end).toBe(longer.byteLength);
    expect(isCaught(longer)).toBe(true);
  });

  // (type (array (mut i32))) (global (ref null 0) (array.new_default 0 (i32.const 1))), and a handle that writes to it:
  // the global never changes, but the object that it refers to does. Valid on Node 22 and later.
  test("a write to a garbage-collected object", () => {
    const module = Uint8Array.from([
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...[1, 8, 2, 0x5e, 0x7f, 1, 0x60, 0, 1, 0x7f],
      ...[3, 2, 1, 1],
      ...[6, 10, 1, 0x63, 0, 0, 0x41, 1, 0xfb, 7, 0, 0x0b],
      ...[7, 10, 1, 6, ...Buffer.from("handle"), 0, 0],
      ...[10, 15, 1, 13, 0, 0x23, 0, 0x41, 0, 0x41, 1, 0xfb, 0x0e, 0, 0x41, 0, 0x0b],
    ]);
    expect(sectionsOf(module).at(-1)?.end).toBe(module.byteLength);
    expect(isCaught(module)).toBe(true);
  });
});
