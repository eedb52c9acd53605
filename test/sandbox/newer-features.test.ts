import { expect, test } from "vitest";
import { examine } from "../../src/sandbox/admission/examination.ts";
import { refused, requirements } from "./module-requirements.ts";

// Later additions to WebAssembly. A Node that supports them runs them, another one refuses the module; a guard must not
// work on one machine and fail on another.

const section = (id: number, ...content: number[]): number[] => [id, content.length, ...content];
const HANDLE_TYPE = [0x60, 0, 1, 0x7f];
const NAME = [..."handle"].map((letter) => letter.charCodeAt(0));

interface Parts {
  /** Types after that of `handle`, which is the first. */
  readonly types?: readonly number[];
  readonly tables?: readonly number[];
  readonly globals?: readonly number[];
  readonly elements?: readonly number[];
  /** Code of `handle`, before it returns. */
  readonly code?: readonly number[];
}

function module({ types = [], tables, globals, elements, code = [] }: Parts): Uint8Array<ArrayBuffer> {
  const body = [0, ...code, 0x41, 0, 0x0b];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, types.length === 0 ? 1 : 2, ...HANDLE_TYPE, ...types),
    ...section(3, 1, 0),
    ...(tables === undefined ? [] : section(4, 1, ...tables)),
    ...(globals === undefined ? [] : section(6, 1, ...globals)),
    ...section(7, 1, NAME.length, ...NAME, 0, 0),
    ...(elements === undefined ? [] : section(9, 1, ...elements)),
    ...section(10, 1, body.length, ...body),
  ]);
}

const ANYREF = 0x6e;
const REF_NULL = 0xd0;
const END = 0x0b;
const DROP = 0x1a;

test("the plain module of these tests is admitted", () => {
  expect(WebAssembly.validate(module({}))).toBe(true);
});

test.each<[string, Parts]>([
  ["a group of types", { types: [0x4e, 1, 0x60, 0, 0] }],
  ["a type that others may extend", { types: [0x50, 0, 0x60, 0, 0] }],
  ["a structure", { types: [0x5f, 0] }],
  ["an array", { types: [0x5e, 0x7f, 0] }],
  ["a parameter that refers to anything", { types: [0x60, 1, ANYREF, 0] }],
  ["a parameter that refers to functions, in the long spelling", { types: [0x60, 1, 0x63, 0x70, 0] }],
  ["a global that refers to anything", { globals: [ANYREF, 1, REF_NULL, ANYREF, END] }],
  ["a global whose first value is a sum", { globals: [0x7f, 0, 0x41, 1, 0x41, 2, 0x6a, END] }],
  ["a table that refers to anything", { tables: [ANYREF, 0, 1] }],
  ["a table with a first value of its own", { tables: [0x40, 0, 0x70, 0, 1, REF_NULL, 0x70, END] }],
  ["an element segment that refers to anything", { elements: [5, ANYREF, 1, REF_NULL, ANYREF, END] }],
  ["a reference to anything", { code: [REF_NULL, ANYREF, DROP] }],
  ["a block that leaves a reference to anything", { code: [0x02, ANYREF, REF_NULL, ANYREF, END, DROP] }],
  ["a small integer in a reference", { code: [0x41, 1, 0xfb, 0x1c, DROP] }],
  ["a tail call", { code: [0x12, 0] }],
])("%s is refused on every Node", async (_, parts) => {
  const bytes = module(parts);
  const { code, kind } = await refused(bytes);
  expect({ code, kind }).toEqual({ code: "HOOK_MODULE_FEATURE", kind: "capability" });
});

test("a module that is refused for its code, and not validated, may be broken in any other place", async () => {
  const bytes = Uint8Array.from([...module({ code: [0x12, 0] }), ...section(0, 0x80, 0x80, 0x80, 0x80, 0x80, 0)]);
  const { problems } = await examine(bytes, requirements());
  expect(problems.map(({ code }) => code)).toEqual(["HOOK_MODULE_FEATURE", "HOOK_MODULE_INVALID"]);
});
