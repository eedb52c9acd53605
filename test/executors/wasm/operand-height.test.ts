import { expect, test } from "vitest";
import { heightChange } from "../../../src/executors/wasm/operand-height.ts";
import { Cursor } from "../../../src/executors/wasm/operators.ts";

/** What an instruction takes and leaves, asked of V8's validator: in dead code it takes whatever types fit. */

const leb128 = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb128(value >>> 7)]);
const section = (id: number, content: readonly number[]): number[] => [id, ...leb128(content.length), ...content];

const CONSTANTS: readonly (readonly [type: number, code: readonly number[]])[] = [
  [0x7f, [0x41, 0]],
  [0x7e, [0x42, 0]],
  [0x7d, [0x43, 0, 0, 0, 0]],
  [0x7c, [0x44, 0, 0, 0, 0, 0, 0, 0, 0]],
  [0x7b, [0xfd, 12, ...new Array<number>(16).fill(0)]],
  [0x70, [0xd0, 0x70]],
];

/** Whether dead code of these instructions is valid in a function with these results. */
function isValid(code: readonly number[], results: readonly number[]): boolean {
  const body = [0, 0x00, ...code, 0x0b];
  return WebAssembly.validate(
    Uint8Array.from([
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...section(1, [1, 0x60, 0, results.length, ...results]),
      ...section(3, [1, 0]),
      ...section(4, [1, 0x70, 0, 1]),
      ...section(5, [1, 0, 1]),
      ...section(9, [1, 1, 0, 1, 0]),
      ...section(12, [1]),
      ...section(10, [1, ...leb128(body.length), ...body]),
      ...section(11, [1, 1, 1, 0]),
    ]),
  );
}

/** `undefined` for what is no instruction. */
function measured(code: readonly number[]): number | undefined {
  const leaves = isValid(code, []) ? [] : CONSTANTS.map(([type]) => [type]).find((types) => isValid(code, types));
  if (leaves === undefined) return undefined;
  let operands: number[] = [];
  let count = 0;
  for (let next: number[] | undefined = operands; next !== undefined; count += 1) {
    operands = next;
    next = CONSTANTS.map(([, constant]) => [...constant, ...operands]).find((all) =>
      isValid([...all, ...code], leaves),
    );
  }
  return leaves.length - (count - 1);
}

/** The shortest spelling of an instruction's immediates that both the reader and V8 take. */
function spelling(opcode: readonly number[]): number[] | undefined {
  for (let length = 0; length <= 16; length += 1) {
    const code = [...opcode, ...new Array<number>(length).fill(0)];
    try {
      const cursor = new Cursor(Uint8Array.from([...code, 0x0b]), 0);
      cursor.operator();
      if (cursor.at === code.length) return code;
    } catch {}
  }
  return undefined;
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

const OPCODES: readonly number[][] = [
  ...[0x1a, 0x1b, ...range(0x25, 0x26), ...range(0x28, 0xc4), 0xd2].map((code) => [code]),
  ...range(0, 17).map((code) => [0xfc, code]),
  ...range(0, 255).map((code) => [0xfd, ...leb128(code)]),
];

test("the height of the operand stack changes as V8 has it, for every instruction", () => {
  const wrong: string[] = [];
  let checked = 0;
  for (const opcode of OPCODES) {
    const code = spelling(opcode);
    const change = code === undefined ? undefined : measured(code);
    if (code === undefined || change === undefined) continue;
    checked += 1;
    const read = heightChange(new Cursor(Uint8Array.from(code), 0).operator().code);
    if (read !== change) wrong.push(`${Buffer.from(opcode).toString("hex")}: ${read}, not ${change}`);
  }
  expect(wrong).toEqual([]);
  expect(checked).toBeGreaterThan(400);
});
