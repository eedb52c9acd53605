import { describe, expect, test } from "vitest";
import { admit } from "../../../src/executors/wasm/admission/admission.ts";
import { leb128 } from "../../../src/executors/wasm/admission/leb128.ts";
import { HANDLE, wat } from "../../helpers/guests.ts";
import { terms } from "./admission-terms.ts";
import { MeteredGuest, running } from "./metered-guest.ts";

const I32 = 0x7f;
const VALUES = [I32, 0x7e, 0x7d, 0x7c, 0x7b, 0x70];
const section = (id: number, content: readonly number[]): number[] => [id, ...leb128(content.length), ...content];
const list = (items: readonly (readonly number[])[]): number[] => [...leb128(items.length), ...items.flat()];

/** A module with something of everything, and one function of these types and this code. */
function moduleOf(params: readonly number[], results: readonly number[], code: readonly number[]) {
  const type = (from: readonly number[], to: readonly number[]) => [0x60, from.length, ...from, to.length, ...to];
  const body = (content: readonly number[]) => [...leb128(content.length + 2), 0, ...content, 0x0b];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list([type(params, results), type([], [I32])])),
    ...section(3, list([[0], [1]])),
    ...section(4, list([[0x70, 0, 1]])),
    ...section(5, list([[0, 1]])),
    ...section(6, list([[I32, 1, 0x41, 0, 0x0b]])),
    ...section(7, list([[6, ...Buffer.from("handle"), 0, 1]])),
    ...section(9, list([[1, 0, 1, 1]])),
    ...section(12, [1]),
    ...section(10, list([body(code), body([0x41, 0])])),
    ...section(11, list([[1, 1, 0x58]])),
  ]);
}

const between = (value: number, from: number, to: number): boolean => value >= from && value <= to;
const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);

function immediatesOf(prefix: number, code: number): number[] {
  if (prefix === 0xfc) return zeros(code < 8 ? 0 : [8, 10, 12, 14].includes(code) ? 2 : 1);
  if (prefix === 0xfd) {
    if (code <= 11 || code === 92 || code === 93) return zeros(2);
    if (code === 12 || code === 13) return zeros(16);
    return zeros(between(code, 21, 34) ? 1 : between(code, 84, 91) ? 3 : 0);
  }
  if (code === 0x1c) return [1, I32];
  if (code === 0xd0) return [0x70];
  if (code === 0xd2) return [1];
  if (code === 0x43 || code === 0x44) return zeros(code === 0x43 ? 4 : 8);
  if (between(code, 0x28, 0x3e)) return zeros(2);
  return zeros(between(code, 0x20, 0x26) || between(code, 0x3f, 0x42) ? 1 : 0);
}

const plain = [0x01, ...Array.from({ length: 0xd3 - 0x1a }, (_, index) => 0x1a + index)];
const instructions = [
  ...plain.map((code) => ({ prefix: 0, code })),
  ...Array.from({ length: 18 }, (_, code) => ({ prefix: 0xfc, code })),
  ...Array.from({ length: 256 }, (_, code) => ({ prefix: 0xfd, code })),
];
const operandLists: readonly (readonly number[])[] = [
  [],
  ...VALUES.map((a) => [a]),
  ...VALUES.flatMap((a) => VALUES.map((b) => [a, b])),
  ...VALUES.flatMap((a) => VALUES.flatMap((b) => VALUES.map((c) => [a, b, c]))),
];

// V8 says what an instruction takes and leaves. Admission refuses a function whose values do not add up.
test("what each instruction takes off the stack and puts onto it is counted as V8 does", async () => {
  const wrong: string[] = [];
  let found = 0;
  for (const { prefix, code } of instructions) {
    const encoded = [...(prefix === 0 ? [code] : [prefix, ...leb128(code)]), ...immediatesOf(prefix, code)];
    const bodyFor = (operands: readonly number[]) => [...operands.flatMap((_, at) => [0x20, at]), ...encoded];
    const operands = operandLists.find((types) => WebAssembly.validate(moduleOf(types, [], [...bodyFor(types), 0x00])));
    if (operands === undefined) continue;
    const results = [[], ...VALUES.map((type) => [type])].find((types) =>
      WebAssembly.validate(moduleOf(operands, types, bodyFor(operands))),
    );
    if (results === undefined) continue;
    found += 1;
    const admission = await admit(moduleOf(operands, results, bodyFor(operands)), terms());
    if (!admission.ok) wrong.push(`${prefix.toString(16)} ${code.toString(16)}: ${admission.message}`);
  }
  expect(wrong).toEqual([]);
  expect(found).toBeGreaterThan(420);
});

describe("blocks, branches and calls leave what their types say", () => {
  test.each([
    ["a block with a result", "(block (result i32) (i32.const 1))"],
    ["a block with parameters", "(i32.const 1) (i32.const 2) (block (param i32 i32) (result i32) i32.add)"],
    ["both arms", "(if (result i32) (i32.const 1) (then (i32.const 2)) (else (i32.const 3)))"],
    ["arms with parameters", "(i32.const 1) (if (param i32) (result i32) (i32.const 1) (then) (else i32.eqz))"],
    ["code behind a branch", "(block (result i32) (br 0 (i32.const 1)) i32.add drop drop)"],
    [
      "a block behind a branch",
      "(block (result i32) (br 0 (i32.const 1)) (block (param i32) (result i32) i32.eqz) drop i32.add)",
    ],
    [
      "a loop behind a return",
      "(return (i32.const 1)) (loop (result i32) (i32.const 1) (br_if 0 (i32.const 0))) i32.add",
    ],
    ["an arm that ends", "(if (i32.const 1) (then unreachable) (else (return (i32.const 3)))) (i32.const 1)"],
    ["a branch by a table", "(block (result i32) (br_table 0 0 (i32.const 1) (i32.const 0)) i32.add)"],
    ["several results", "(call $two) i32.add"],
    ["several results through a table", "(call_indirect (type $two) (i32.const 0)) drop"],
    ["a branch with several results", "(block (result i32 i32) (call $two) (br_if 0 (i32.const 1))) i32.add"],
  ])("%s", async (_, body) => {
    const fields =
      "(type $two (func (result i32 i32))) (table 1 funcref) (elem (i32.const 0) $two) (func $two (type $two) (i32.const 1) (i32.const 2))";
    const module = running(body, fields);
    expect(WebAssembly.validate(module)).toBe(true);
    expect((await admit(module, terms())).ok).toBe(true);
  });
});

const deep = (held: string, folded: string): Uint8Array<ArrayBuffer> =>
  wat(`(module (global $deepest (export "deepest") (mut i32) (i32.const 0))
    (func $run (export "run") (result i32) (global.set $deepest (i32.add (global.get $deepest) (i32.const 1)))
      ${held} (call $run) ${folded}) ${HANDLE})`);

/** With less room than a worker thread has: the main thread, where this runs, has a smaller stack. */
async function depthOf(module: Uint8Array<ArrayBuffer>, depth = 20_000): Promise<number> {
  const guest = await MeteredGuest.of(module);
  expect(guest.run("run", [], { depth })).toMatchObject({ trapped: true, ended: "depth" });
  return (guest.instance.exports["deepest"] as WebAssembly.Global).value as number;
}

describe("values that a function holds while it calls", () => {
  test("take room: a thousand of them end the nesting sooner", async () => {
    const few = await depthOf(deep("(i32.const 1) ".repeat(15), "i32.add ".repeat(15)));
    expect(await depthOf(deep("", ""))).toBe(few);
    expect(await depthOf(deep("(i32.const 1) ".repeat(1_000), "i32.add ".repeat(1_000)))).toBeLessThan(few / 50);
    const inBlocks = deep("(block (result i32) (i32.const 1)) ".repeat(1_000), "i32.add ".repeat(1_000));
    expect(await depthOf(inBlocks)).toBeLessThan(few / 50);
  });

  test("take room where a call puts them there", async () => {
    const many = "i64 ".repeat(900);
    const module = wat(`(module (global $deepest (export "deepest") (mut i32) (i32.const 0))
      (func $run (export "run") (result ${many}) (global.set $deepest (i32.add (global.get $deepest) (i32.const 1))) (call $run))
      ${HANDLE})`);
    expect(await depthOf(module)).toBeLessThan(30);
  });
});
