import { describe, expect, test } from "vitest";
import { admit } from "../../src/sandbox/admission/admission.ts";
import { HANDLE, wat } from "../helpers/guests.ts";
import { everyInstruction } from "./every-instruction.ts";
import { MeteredGuest, running } from "./metered-guest.ts";
import { requirements } from "./module-requirements.ts";

// V8 defines what an instruction takes and leaves. Admission refuses a function whose values do not add up.
test("what each instruction takes off the stack and puts onto it is counted as in V8", async () => {
  const wrong: string[] = [];
  for (const { name, module } of everyInstruction()) {
    const admission = await admit(module, requirements());
    if (!admission.ok) wrong.push(`${name}: ${admission.message}`);
  }
  expect(wrong).toEqual([]);
});

describe("blocks, branches and calls leave what their types declare", () => {
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
    expect((await admit(module, requirements())).ok).toBe(true);
  });
});

const deep = (held: string, folded: string): Uint8Array<ArrayBuffer> =>
  wat(`(module (global $deepest (export "deepest") (mut i32) (i32.const 0))
    (func $run (export "run") (result i32) (global.set $deepest (i32.add (global.get $deepest) (i32.const 1)))
      ${held} (call $run) ${folded}) ${HANDLE})`);

/** With less depth than a worker thread has, because the main thread, where this runs, has a smaller stack. */
async function depthOf(module: Uint8Array<ArrayBuffer>, depth = 20_000): Promise<number> {
  const guest = await MeteredGuest.of(module);
  expect(guest.run("run", [], { depth })).toMatchObject({ trapped: true, ended: "depth" });
  return (guest.instance.exports["deepest"] as WebAssembly.Global).value as number;
}

describe("values that a function holds during a call", () => {
  test("use stack: a thousand of them end the nesting sooner", async () => {
    const few = await depthOf(deep("(i32.const 1) ".repeat(15), "i32.add ".repeat(15)));
    expect(await depthOf(deep("", ""))).toBe(few);
    expect(await depthOf(deep("(i32.const 1) ".repeat(1_000), "i32.add ".repeat(1_000)))).toBeLessThan(few / 50);
    const inBlocks = deep("(block (result i32) (i32.const 1)) ".repeat(1_000), "i32.add ".repeat(1_000));
    expect(await depthOf(inBlocks)).toBeLessThan(few / 50);
  });

  test("use stack where a call puts them there", async () => {
    const many = "i64 ".repeat(900);
    const module = wat(`(module (global $deepest (export "deepest") (mut i32) (i32.const 0))
      (func $run (export "run") (result ${many}) (global.set $deepest (i32.add (global.get $deepest) (i32.const 1))) (call $run))
      ${HANDLE})`);
    expect(await depthOf(module)).toBeLessThan(30);
  });
});
