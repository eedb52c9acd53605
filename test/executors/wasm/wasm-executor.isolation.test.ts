import { afterAll, describe, expect, test } from "vitest";
import { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import { wat } from "../../helpers/guests.ts";
import { deadline, openExecutor, run, runToReply, TIMEOUT, toolEvent, wasmRule, withoutTime } from "./wasm-rule.ts";

const executor = new WasmExecutor({ threads: 1 });
afterAll(() => executor.close());

const OUTPUT = `
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
  (import "extism:host/env" "output_set" (func $output (param i64 i64)))`;
const ABSTAIN = `
  (func $abstain (local $block i64)
    (local.set $block (call $alloc (i64.const 2)))
    (call $store (local.get $block) (i32.const 0x7b))
    (call $store (i64.add (local.get $block) (i64.const 1)) (i32.const 0x7d))
    (call $output (local.get $block) (i64.const 2)))`;

describe("a guard does not notice earlier calls: what it", () => {
  test.each([
    "remembers-in-a-global",
    "remembers-in-memory",
    "remembers-in-a-table",
    "remembers-by-its-size",
    "uses-up-a-segment",
  ])("%s is gone", async (name) => {
    const rule = wasmRule(name);
    for (let call = 0; call < 5; call += 1) expect((await runToReply(rule, { executor })).reply).toEqual({});
  });

  // A parser may read one byte of a two-byte table index, and take the rest for a harmless instruction.
  test("stores in a table, behind an instruction that can be read in two ways, is gone", async () => {
    const module = wat(`(module ${OUTPUT} (type $v (func))
      ${"(table 1 funcref)".repeat(256)} (table $far 1 funcref) (elem (table $far) (i32.const 0) func $noop)
      (func $noop) ${ABSTAIN}
      (func $remember (i32.const 0) (ref.func $noop) (call_indirect $far (type $v) (i32.const 0)) (table.set 0))
      (func (export "handle") (result i32)
        (if (i32.eqz (ref.is_null (table.get 0 (i32.const 0)))) (then (return (i32.const 1))))
        (call $remember) (call $abstain) (i32.const 0)))`);
    const rule = wasmRule(module);
    const first = withoutTime(await run(rule, { executor }));
    for (let call = 0; call < 3; call += 1) expect(withoutTime(await run(rule, { executor }))).toEqual(first);
  });

  test("did before it failed is gone", async () => {
    const endings = [
      "(return (i32.const 1))",
      "unreachable",
      "(drop (call $alloc (i64.const -1)))",
      "(return (i32.const 0))",
    ];
    for (const ending of endings) {
      const module = wat(`(module ${OUTPUT} (global $calls (mut i32) (i32.const 0)) ${ABSTAIN}
        (func (export "handle") (result i32)
          (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
          (if (i32.eq (global.get $calls) (i32.const 1)) (then ${ending}))
          (call $abstain) (i32.const 0)))`);
      const rule = wasmRule(module);
      const first = await run(rule, { executor });
      expect(first.ok).toBe(false);
      expect(withoutTime(await run(rule, { executor }))).toEqual(withoutTime(first));
    }
  });

  test("did before its deadline is gone", async () => {
    const single = openExecutor();
    const module = wat(`(module (memory 1) (global $calls (mut i32) (i32.const 0))
      (func (export "handle") (result i32)
        (if (global.get $calls) (then (return (i32.const 7))))
        (global.set $calls (i32.const 1))
        (loop $for_ever (br $for_ever)) (i32.const 0)))`);
    const rule = wasmRule(module);
    for (let call = 0; call < 2; call += 1) {
      expect(await run(rule, { executor: single, signal: deadline(500).signal })).toMatchObject({
        ok: false,
        failure: TIMEOUT,
      });
    }
  });
});

describe("the content of one event cannot be found in the next call", () => {
  const canary = (name: string) => toolEvent({ secret: `${name}-`.repeat(200) });

  test("by the same guard, in its memory or on the host's heap", async () => {
    const rule = wasmRule("looks-for-leftovers");
    for (let call = 0; call < 6; call += 1) {
      expect((await runToReply(rule, { event: canary(`call-${call}`), executor })).reply).toEqual({});
    }
  });

  test("by another guard in the same thread, whether the first one answered or failed", async () => {
    const searching = wasmRule("looks-for-leftovers");
    const reporting = wasmRule("repeats-its-input");
    for (let call = 0; call < 3; call += 1) {
      expect((await run(reporting, { event: canary("reported"), executor })).ok).toBe(false);
      expect((await runToReply(searching, { event: canary("searched"), executor })).reply).toEqual({});
    }
  });

  test("by the same module under another rule with another configuration", async () => {
    const rules = [{}, { key: "value" }].map((config) => wasmRule("looks-for-leftovers", { handler: { config } }));
    for (const rule of [...rules, ...rules])
      expect((await runToReply(rule, { event: canary("either"), executor })).reply).toEqual({});
  });
});

test("other rules get the original event, whatever a guard writes over its input", async () => {
  const module = wat(`(module ${OUTPUT} (import "extism:host/env" "input_offset" (func $input (result i64))) ${ABSTAIN}
    (func (export "handle") (result i32)
      (call $store (call $input) (i32.const 0x58)) (call $abstain) (i32.const 0)))`);
  const event = toolEvent({ text: "as it came" });
  const before = structuredClone(event);
  expect((await runToReply(wasmRule(module), { event, executor })).reply).toEqual({});
  expect(event).toEqual(before);
  const repeated = await run(wasmRule("repeats-its-input"), { event, executor });
  expect(repeated).toMatchObject({ ok: false, failure: { message: expect.stringContaining('{"tool_name":"Bash"') } });
});

test("guards that alternate in two threads, and fail in between, answer as they do alone", async () => {
  const pool = openExecutor({ threads: 2 });
  const names = [
    "remembers-in-a-global",
    "traps",
    "remembers-in-memory",
    "says-nothing",
    "looks-for-leftovers",
    "denies",
    "remembers-in-a-table",
  ];
  const rules = names.map((name) => wasmRule(name));
  const alone = await Promise.all(rules.map(async (rule) => withoutTime(await run(rule, { executor }))));
  const together = await Promise.all(
    Array.from({ length: 210 }, (_, index) => run(rules[(index * 5) % rules.length]!, { executor: pool })),
  );
  together.forEach((result, index) => {
    expect(withoutTime(result)).toEqual(alone[(index * 5) % rules.length]);
  });
});
