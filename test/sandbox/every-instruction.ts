import { expect } from "vitest";
import { leb128 } from "../../src/wasm-binary/leb128.ts";

const I32 = 0x7f;
const VALUES = [I32, 0x7e, 0x7d, 0x7c, 0x7b, 0x70];
const section = (id: number, content: readonly number[]): number[] => [id, ...leb128(content.length), ...content];
const list = (items: readonly (readonly number[])[]): number[] => [...leb128(items.length), ...items.flat()];

/** Returns a module with one of each kind of definition, and one function of these types and this code. */
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

/** Returns a module for each instruction without a block, found by trying operands until V8 accepts it. */
export function everyInstruction(): readonly { readonly name: string; readonly module: Uint8Array<ArrayBuffer> }[] {
  const found = instructions.flatMap(({ prefix, code }) => {
    const encoded = [...(prefix === 0 ? [code] : [prefix, ...leb128(code)]), ...immediatesOf(prefix, code)];
    const bodyFor = (operands: readonly number[]) => [...operands.flatMap((_, at) => [0x20, at]), ...encoded];
    const operands = operandLists.find((types) => WebAssembly.validate(moduleOf(types, [], [...bodyFor(types), 0x00])));
    if (operands === undefined) return [];
    const module = [[], ...VALUES.map((type) => [type])]
      .map((results) => moduleOf(operands, results, bodyFor(operands)))
      .find((one) => WebAssembly.validate(one));
    return module === undefined ? [] : [{ name: `${prefix.toString(16)} ${code.toString(16)}`, module }];
  });
  expect(found.length).toBeGreaterThan(420);
  return found;
}
