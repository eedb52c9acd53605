import { describe, expect, test, vi } from "vitest";
import { admit } from "../../src/sandbox/admission/admission.ts";
import { MADE_MODULES } from "../attacks/made-modules.ts";
import { HANDLE, moduleWith, sectionsOf, spliced, wat } from "../helpers/guests.ts";
import { admitted, exportsOf, MIB, PAGE, refused, requirements } from "./module-requirements.ts";

describe("a memory is refused if", () => {
  test("it starts above the rule's limit, with limit and value", async () => {
    expect(await refused(moduleWith("(memory 33)"), { memoryBytes: 2 * MIB })).toMatchObject({
      code: "HOOK_MODULE_LIMIT",
      kind: "memory",
      limit: 2 * MIB,
      value: 33 * PAGE,
    });
  });

  test("it starts at four gigabytes", async () => {
    expect(await refused(moduleWith("(memory 65536)"))).toMatchObject({
      code: "HOOK_MODULE_LIMIT",
      value: 65_536 * PAGE,
    });
  });

  test("the rule allows less than a page", async () => {
    expect(await refused(moduleWith("(memory 1)"), { memoryBytes: PAGE - 1 })).toMatchObject({
      code: "HOOK_MODULE_LIMIT",
    });
    await admitted(moduleWith("(memory 0)"), { memoryBytes: PAGE - 1 });
  });

  test("it is shared", async () => {
    expect(await refused(moduleWith("(memory 1 2 shared)"))).toMatchObject({
      kind: "memory",
      message: expect.stringContaining("shared"),
    });
  });

  test("it is shared, after an entry count in a longer encoding", async () => {
    const module = moduleWith("(memory 1 2 shared)");
    const section = sectionsOf(module).find(({ id }) => id === 5);
    if (section === undefined) throw new Error("no memory section");
    expect(await refused(spliced(module, section, [5, 5, 0x81, 0x00, 3, 1, 2]))).toMatchObject({
      message: expect.stringContaining("shared"),
    });
  });

  // Node 20 does not support the next two features, later versions do; the refusal must have the same effect.
  test("it is a 64-bit memory", async () => {
    expect(["HOOK_MODULE_INVALID", "HOOK_MODULE_LIMIT"]).toContain(
      (await refused(moduleWith("(memory i64 1 2)"))).code,
    );
  });

  test("there are two", async () => {
    expect(["HOOK_MODULE_INVALID", "HOOK_MODULE_LIMIT"]).toContain(
      (await refused(moduleWith("(memory 1) (memory 1)"))).code,
    );
  });

  test("it is imported, alone or next to one of the module's own", async () => {
    const imported = '(import "extism:host/env" "memory" (memory 1))';
    expect(await refused(moduleWith(imported))).toMatchObject({ code: "HOOK_MODULE_IMPORT", kind: "capability" });
    expect(["HOOK_MODULE_INVALID", "HOOK_MODULE_IMPORT"]).toContain(
      (await refused(moduleWith(`${imported} (memory 1)`))).code,
    );
  });
});

// A table's entries use memory outside of the linear memory, 8 bytes each, and V8 ends the whole process if a thread's
// heap cannot hold them.
describe("a table", () => {
  test("of ten million entries is refused", async () => {
    expect(await refused(moduleWith("(table 10000000 funcref)"))).toMatchObject({
      code: "HOOK_MODULE_LIMIT",
      kind: "memory",
    });
  });

  test("cannot grow to a million entries", async () => {
    const module = await admitted(
      moduleWith(`(table $t (export "table") 1 funcref)
        (func (export "grow") (param i32) (result i32) (table.grow $t (ref.null func) (local.get 0)))`),
    );
    const { grow } = (await exportsOf(module)) as { grow: (entries: number) => number };
    expect(grow(1_000_000)).toBe(-1);
  });

  test("is one of a limited number", async () => {
    expect(await refused(moduleWith("(table 0 funcref)".repeat(1_000)))).toMatchObject({ code: "HOOK_MODULE_LIMIT" });
  });

  test("as compilers generate it is admitted", async () => {
    await admitted(moduleWith("(table 12 12 funcref) (func $f) (elem (i32.const 1) func $f $f)"));
  });
});

// What differs between Node versions, or is not allowed in a guard, is refused by name on all versions.
describe("an instruction outside of the list is refused as HOOK_MODULE_FEATURE:", () => {
  test.each([
    ["of exceptions, which catch what the host throws", "(tag $e) (func (try (do) (catch_all)))"],
    ["of tail calls, which loop without a loop", "(func $f (return_call $f))"],
    ["of threads", "(memory 1) (func (drop (i32.atomic.load (i32.const 0))))"],
    ["of threads, in code that nobody calls", "(func (atomic.fence))"],
  ])("%s", async (_, fields) => {
    const module = moduleWith(fields);
    // An engine without the feature refuses it with its own message.
    if (!WebAssembly.validate(module)) expect(await refused(module)).toMatchObject({ code: "HOOK_MODULE_INVALID" });
    else expect(await refused(module)).toMatchObject({ code: "HOOK_MODULE_FEATURE", kind: "capability" });
  });

  // 99 and 100 are the codes of reference types; here they are type indices.
  test("but no block, whatever the index of its type is", async () => {
    const types = Array.from({ length: 130 }, (_, index) => `(type $t${index} (func (param ${"i32 ".repeat(index)})))`);
    for (const index of [63, 64, 98, 99, 100, 101, 127, 128]) {
      const block = `${"(i32.const 0)".repeat(index)} (block (type $t${index}) ${"(drop)".repeat(index)})`;
      await admitted(moduleWith(`${types.join("")} (func ${block})`));
    }
  });

  test("but no instruction of WebAssembly 2.0 that compilers use", async () => {
    await admitted(
      moduleWith(`(memory 1) (table $t 2 funcref) (data $d "x") (elem $e func $f) (type $v (func (result i32 i64)))
        (func $f (type $v) (i32.const 0) (i64.const 1))
        (func (param i32) (result i32)
          (drop (i32.extend8_s (local.get 0))) (drop (i32.trunc_sat_f64_s (f64.const 1)))
          (memory.copy (i32.const 0) (i32.const 8) (i32.const 8)) (memory.fill (i32.const 0) (i32.const 8) (i32.const 8))
          (memory.init $d (i32.const 0) (i32.const 0) (i32.const 1)) (data.drop $d)
          (table.init $t $e (i32.const 0) (i32.const 0) (i32.const 1)) (elem.drop $e)
          (table.set $t (i32.const 0) (table.get $t (i32.const 1)))
          (drop (i32x4.extract_lane 0 (i32x4.add (v128.const i64x2 0 0) (i32x4.splat (local.get 0)))))
          (drop (call_indirect $t (type $v) (i32.const 0))) (drop)
          (block (br_table 0 0 (local.get 0))) (unreachable))`),
    );
  });
});

// V8 allows a million globals and a tenth as many exports. The exports that admission adds must not be the reason for a
// refusal, and adding them must not block the main thread for seconds.
test("a module with more globals than exports are allowed is admitted unchanged, or refused by name", async () => {
  const count = 150_000;
  const leb = (value: number): number[] => [
    (value & 0x7f) | 0x80,
    ((value >> 7) & 0x7f) | 0x80,
    ((value >> 14) & 0x7f) | 0x80,
    value >> 21,
  ];
  const globals = new Uint8Array(9 + count * 5);
  globals.set([6, ...leb(4 + count * 5), ...leb(count)]);
  for (let index = 0; index < count; index += 1) globals.set([0x7f, 1, 0x41, 0, 0x0b], 9 + index * 5);
  const module = moduleWith("");
  const exportsAt = sectionsOf(module).find(({ id }) => id === 7)?.start ?? 0;
  const longer = Uint8Array.from(Buffer.concat([module.subarray(0, exportsAt), globals, module.subarray(exportsAt)]));
  expect(WebAssembly.validate(longer)).toBe(true);
  const admission = await admit(longer, requirements());
  if (!admission.ok)
    expect(admission).toMatchObject({ code: "HOOK_MODULE_LIMIT", message: expect.stringMatching(/globals/) });
});

test("a guest that uses the names of our exports is refused", async () => {
  for (const name of ["hookbox:memory", "hookbox:fuel", "hookbox:depth", "hookbox:global:0"]) {
    const module = wat(`(module (memory 1) (global $g (mut i32) (i32.const 0))
      (func (export "${name}") (result i32) (i32.const 0)) ${HANDLE}
      (func (global.set $g (i32.const 1))))`);
    expect(await refused(module)).toMatchObject({ code: "HOOK_MODULE_INVALID", kind: "unavailable" });
  }
});

// V8's baseline compiler keeps a copy of all locals and operands for each loop, on a thread that cannot be ended during
// that: the first of these took it a minute and fifteen gigabytes.
describe("a function with too many values at too many places is refused:", () => {
  const nest = (locals: string, values: number, loops: number): Uint8Array<ArrayBuffer> =>
    moduleWith(
      `(func (local ${locals}) ${"local.get 0 ".repeat(values)} ${"loop end ".repeat(loops)} ${"drop ".repeat(values)})`,
    );

  test.each<[string, Uint8Array<ArrayBuffer>]>([
    ["operands under loops", nest("i32", 20_000, 20_000)],
    ["locals over loops", nest("i32 ".repeat(2_000), 0, 400)],
    [
      "locals over branches",
      moduleWith(`(func (local ${"i32 ".repeat(2_000)}) (block ${"(br_if 0 (local.get 0))".repeat(7_000)}))`),
    ],
    [
      "locals over a table of branches",
      moduleWith(`(func (local ${"i32 ".repeat(500)}) (block (br_table ${"0 ".repeat(25_000)} (local.get 0))))`),
    ],
  ])("%s", async (_, module) => {
    expect(await refused(module)).toMatchObject({
      code: "HOOK_MODULE_LIMIT",
      kind: "memory",
      message: expect.stringContaining("values that are kept across blocks, loops and branches of a function"),
    });
  });

  test("but operands do not add up over blocks, branches and calls that take and leave values", async () => {
    const step = `(local.set 0 (select (call $pair (i32.const 1)) (local.get 0)))
      (block (result i32) (i32.const 1) (drop (br_if 0 (i32.const 2) (local.get 0))) (if (param i32) (result i32) (local.get 0)
        (then) (else (return))))
      (drop)`;
    await admitted(
      moduleWith(`(func $pair (param i32) (result i32 i32) (local.get 0) (local.get 0))
        (func (local i32) ${step.repeat(2_000)})`),
    );
  });
});

test("a vector constant whose bytes resemble an endless number is read", async () => {
  await admitted(moduleWith("(func (drop (v128.const i64x2 -1 -1)))"));
});

/** V8 would take seconds and gigabytes to validate one of these, and cannot be stopped during that. */
test.each([
  "has-50000-functions-with-50000-locals",
  "has-7000-types-of-a-thousand-values",
  "has-two-million-sections",
  "has-blocks-of-a-thousand-values",
  "has-blocks-of-a-thousand-values-behind-a-return",
  "calls-with-a-thousand-values-behind-a-return",
  "returns-a-thousand-values-again-and-again",
])("a module that %s is refused before V8 sees it", async (name) => {
  const file = MADE_MODULES[name]?.() ?? new Uint8Array(0);
  const validate = vi.spyOn(WebAssembly, "validate");
  try {
    expect(await refused(file)).toMatchObject({ code: "HOOK_MODULE_LIMIT" });
    expect(validate).not.toHaveBeenCalled();
  } finally {
    validate.mockRestore();
  }
});
