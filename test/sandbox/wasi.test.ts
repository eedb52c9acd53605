import { afterAll, describe, expect, test } from "vitest";
import { WasmExecutor } from "../../src/executors/wasm/wasm-executor.ts";
import type { Grants } from "../../src/grants.ts";
import type { Rule } from "../../src/rule.ts";
import type { WasiFunctionName } from "../../src/sandbox/guest/wasi/wasi-abi.ts";
import {
  LIMITS,
  openExecutor,
  run,
  runToFailure,
  runToReply,
  wasmRule,
  withoutTime,
} from "../executors/wasm/wasm-rule.ts";
import { moduleWith, wat } from "../helpers/guests.ts";
import { admitted, refused } from "./module-requirements.ts";
import { commandPrinting, wasiGuest } from "./wasi-guest.ts";

const executor = new WasmExecutor({ threads: 1 });
afterAll(() => executor.close());

const grants: Grants = { wasi: true };
const DENIAL = '{"decision":"deny","reason":"not this"}';

const command = (module: Uint8Array, limits = LIMITS): Rule =>
  wasmRule(module, { handler: { function: "_start", grants, limits } });
const reactor = (module: Uint8Array, more: Partial<{ limits: typeof LIMITS; grants: Grants }> = {}): Rule =>
  wasmRule(module, { handler: { grants, ...more } });

describe("a command", () => {
  test("answers with what it prints, and starts in its first state for the next event", async () => {
    const rule = command(
      commandPrinting(DENIAL, {
        fields: "(global $calls (mut i32) (i32.const 0))",
        body: "(if (global.get $calls) (then (unreachable))) (global.set $calls (i32.const 1))",
      }),
    );
    const first = await run(rule, { executor });
    expect(first).toMatchObject({ ok: true, reply: { decision: "deny" }, receipt: { grants: ["wasi"] } });
    expect(first.receipt).not.toHaveProperty("deterministic");
    expect(withoutTime(await run(rule, { executor }))).toEqual(withoutTime(first));
  });

  test.each([0, 3, -1])("may exit, and has answered only with 0: %d", async (code) => {
    const module = wasiGuest(
      ["fd_write", "proc_exit"],
      `(data (i32.const 16) "{}") (data (i32.const 0) "\\10\\00\\00\\00\\02\\00\\00\\00")
       (func (export "_start") (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
         (call $proc_exit (i32.const ${code})) (unreachable))`,
    );
    const result = await run(command(module), { executor });
    if (code === 0) expect(result).toMatchObject({ ok: true, reply: {} });
    else expect(result).toMatchObject({ ok: false, failure: { kind: "exit", value: code >>> 0 } });
  });

  test.each([
    ["nothing", "no-output", ""],
    ["what is no JSON", "invalid-output", "deny"],
    ["more than one answer", "invalid-output", "{}{}"],
  ])("that prints %s has failed", async (_, kind, text) => {
    expect(await runToFailure(command(commandPrinting(text)), { executor })).toMatchObject({ kind });
  });

  test("that answers and traps has failed", async () => {
    const module = wasiGuest(
      ["fd_write"],
      `(data (i32.const 16) "{}") (data (i32.const 0) "\\10\\00\\00\\00\\02\\00\\00\\00")
       (func (export "_start") (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))) (unreachable))`,
    );
    expect(await runToFailure(command(module), { executor })).toMatchObject({ kind: "trap" });
  });

  test("does not answer by output_set", async () => {
    const module = wat(`(module (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
      (import "extism:host/env" "output_set" (func $set (param i64 i64)))
      (func (export "_start") (call $set (call $alloc (i64.const 2)) (i64.const 2))))`);
    expect(await runToFailure(command(module), { executor })).toMatchObject({
      kind: "invalid-output",
      message: expect.stringContaining("output_set"),
    });
  });

  test("needs the grant, and a function of its type", async () => {
    const module = commandPrinting("{}");
    expect(await refused(module, { function: "_start" })).toMatchObject({ kind: "capability" });
    const wrong = moduleWith('(func (export "_start") (result i32) (i32.const 0))');
    expect(await refused(wrong, { function: "_start", grants })).toMatchObject({
      code: "HOOK_MODULE_ABI",
      message: expect.stringContaining('"_start"'),
    });
    expect(await refused(moduleWith(""), { function: "_start", grants })).toMatchObject({ code: "HOOK_MODULE_ABI" });
  });

  test("is refused for the same reason whether or not another rule has admitted it before", async () => {
    const module = commandPrinting("{}");
    const unknown = await refused(module, { function: "_start" });
    await admitted(module, { function: "_start", grants });
    expect(await refused(module, { function: "_start" })).toEqual(unknown);
  });
});

describe("an import of WASI", () => {
  const importing = (name: string, type: string): Uint8Array<ArrayBuffer> =>
    moduleWith(`(import "wasi_snapshot_preview1" "${name}" (func ${type}))`);

  test.each<[string, Uint8Array<ArrayBuffer>, Grants, RegExp]>([
    ["is not granted", importing("sched_yield", "(result i32)"), {}, /sched_yield: WASI is not granted/],
    ["there is not", importing("path_hack", "(result i32)"), grants, /path_hack: no such host function/],
    ["has another type", importing("proc_exit", "(param i64)"), grants, /proc_exit: its type must be/],
    [
      "takes the name under which we link",
      moduleWith('(import "hookbox:host/wasi" "sched_yield" (func (result i32)))'),
      grants,
      /no such host function/,
    ],
  ])("that %s is refused by name", async (_, module, given, message) => {
    expect(await refused(module, { grants: given })).toMatchObject({
      code: "HOOK_MODULE_IMPORT",
      message: expect.stringMatching(message),
    });
  });
});

/** Denies if `ready` has the value that `_initialize` sets, and traps otherwise. */
const initialized = (
  body: string,
  names: readonly WasiFunctionName[] = [],
  imports = "",
  fields = "",
): Uint8Array<ArrayBuffer> => {
  const wasiImports = names.map((name) =>
    name === "proc_exit"
      ? `(import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))`
      : `(import "wasi_snapshot_preview1" "${name}" (func $${name} (param i32 i32) (result i32)))`,
  );
  return wat(`(module ${wasiImports.join("")} ${imports}
    (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
    (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
    (import "extism:host/env" "output_set" (func $set (param i64 i64)))
    (memory 1) (global $ready (mut i32) (i32.const 0))
    ${fields}
    (func (export "_initialize") ${body} (global.set $ready (i32.add (global.get $ready) (i32.const 1))))
    (func (export "handle") (result i32) (local $block i64)
      (if (i32.ne (global.get $ready) (i32.const 1)) (then (unreachable)))
      (global.set $ready (i32.const 7))
      (local.set $block (call $alloc (i64.const 2)))
      (call $store (local.get $block) (i32.const 123))
      (call $store (i64.add (local.get $block) (i64.const 1)) (i32.const 125))
      (call $set (local.get $block) (i64.const 2))
      (i32.const 0)))`);
};

const SPIN = (turns: number): string =>
  `(local $i i32) (loop $l (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const ${turns}))))`;

describe("_initialize", () => {
  test("is run before the first call and never again, and its cost is not part of any call", async () => {
    const rule = reactor(initialized(SPIN(100_000)));
    const own = openExecutor();
    const results = [await run(rule, { executor: own }), await run(rule, { executor: own })];
    expect(results[0]).toMatchObject({ ok: true, reply: {} });
    expect(results[0]?.receipt.fuel).toBeLessThan(1_000);
    expect(withoutTime(results[1] as never)).toEqual(withoutTime(results[0] as never));
    expect(withoutTime(await run(rule, { executor: openExecutor() }))).toEqual(withoutTime(results[0] as never));
  });

  test("is run each time for an instance that cannot be restored", async () => {
    const lasting = wat(
      `(module (memory 1) (data $d "x") (global $ready (mut i32) (i32.const 0))
        (func (export "_initialize") (data.drop $d) (global.set $ready (i32.const 1)))
        (func (export "handle") (result i32) (i32.sub (global.get $ready) (i32.const 1))))`,
    );
    const rule = reactor(lasting);
    for (let call = 0; call < 2; call += 1) {
      expect(await runToFailure(rule, { executor })).toMatchObject({ kind: "no-output" });
    }
  });

  test.each<[string, string, Uint8Array<ArrayBuffer>, object]>([
    ["traps", "trap", initialized("(unreachable)"), {}],
    ["takes too much fuel", "fuel", initialized("(loop $l (br $l))"), { limit: 100_000 }],
    ["calls too deep", "stack", initialized("(call $deep)", [], "", "(func $deep (call $deep))"), {}],
    ["ends itself", "exit", initialized("(call $proc_exit (i32.const 0))", ["proc_exit"]), { value: 0 }],
    [
      "wants more numbers than there are",
      "memory",
      initialized(
        "(drop (call $random_get (i32.const 0) (i32.const 65536))) (drop (call $random_get (i32.const 0) (i32.const 8)))",
        ["random_get"],
      ),
      {},
    ],
  ])("that %s fails each call by name", async (_, kind, module, more) => {
    const rule = reactor(module, { limits: { ...LIMITS, fuel: 100_000 } });
    for (let call = 0; call < 2; call += 1) {
      expect(await runToFailure(rule, { executor })).toMatchObject({
        kind,
        message: expect.stringContaining("in _initialize"),
        ...more,
      });
    }
  });

  test("is granted nothing but WASI", async () => {
    const module = initialized(
      "(drop (call $clock))",
      [],
      '(import "hookbox:host/env" "clock_now" (func $clock (result i64)))',
    );
    const failure = await runToFailure(reactor(module, { grants: { wasi: true, clock: "fixed" } }), { executor });
    expect(failure).toMatchObject({ kind: "capability", message: expect.stringMatching(/_initialize.*clock_now/) });
  });

  test("must be a function without parameters and results, and cannot be a rule's own function", async () => {
    const wrong = moduleWith('(func (export "_initialize") (result i32) (i32.const 0))');
    expect(await refused(wrong, { grants })).toMatchObject({ message: expect.stringContaining('"_initialize"') });
    expect(await refused(wrong, { grants, function: "_initialize" })).toMatchObject({ code: "HOOK_MODULE_ABI" });
  });
});

describe("an endless loop in WASI ends by fuel, in its thread:", () => {
  const limits = { ...LIMITS, fuel: 3_000_000 };

  test.each<[string, WasiFunctionName, string]>([
    ["of sleeping", "poll_oneoff", "(i32.const 64) (i32.const 256) (i32.const 1) (i32.const 32)"],
    ["of writing much", "fd_write", "(i32.const 2) (i32.const 0) (i32.const 1) (i32.const 32)"],
    ["of reading nothing", "fd_read", "(i32.const 0) (i32.const 0) (i32.const 1) (i32.const 32)"],
    ["of looking at the clock", "clock_time_get", "(i32.const 0) (i64.const 0) (i32.const 32)"],
    ["of giving up the processor", "sched_yield", ""],
  ])("%s", async (_, name, values) => {
    const module = wasiGuest(
      [name],
      `(data (i32.const 0) "\\00\\04\\00\\00\\00\\f0\\00\\00")
       (func (export "_start") (loop $l (drop (call $${name} ${values})) (br $l)))`,
    );
    const own = openExecutor();
    const failure = await runToFailure(command(module, limits), { executor: own });
    expect(failure).toMatchObject({ kind: "fuel", limit: 3_000_000 });
    // The same thread serves the next call.
    expect((await runToReply(command(commandPrinting("{}")), { executor: own })).reply).toEqual({});
  });
});
