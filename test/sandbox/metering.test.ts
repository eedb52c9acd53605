import { describe, expect, test } from "vitest";
import { COST } from "../../src/sandbox/admission/cost-model.ts";
import { HANDLE, moduleWith, recoded, wat } from "../helpers/guests.ts";
import { MeteredGuest, running, runUnmetered } from "./metered-guest.ts";
import { refused } from "./module-requirements.ts";

const HOST = "extism:host/env";

describe("a run costs", () => {
  // By version 1 of the cost model: 1 for each function entered and each turn of a loop, 1 for each instruction on the
  // path taken; nothing for structure.
  test.each<[string, string, number]>([
    ["two for a constant: the function and the instruction", "(i32.const 7)", 2],
    ["nothing for structure", "(nop) (block (nop)) (i32.const 7)", 2],
    [
      "for both branches, whichever is taken",
      "(if (result i32) (i32.const 1) (then (i32.const 7)) (else (i32.add (i32.const 3) (i32.const 4))))",
      1 + 6,
    ],
    ["for what a branch jumps over", "(block (br 0) (drop (i32.const 1))) (i32.const 7)", 1 + 3 + (1 + 1)],
    [
      "for each turn of a loop",
      "(local $i i32) (loop $l (local.set $i (i32.add (local.get $i) (i32.const 1))) (br_if $l (i32.lt_u (local.get $i) (i32.const 10)))) (i32.const 7)",
      1 + 1 + 10 * (1 + 8),
    ],
    [
      "for each value that a branch carries, beyond the first",
      "(block (result i32 i32 i32) (i32.const 7) (i32.const 2) (i32.const 3) (br 0)) (drop) (drop)",
      1 + 4 + 2 + (1 + 2),
    ],
    [
      "for each value that a loop takes on another turn, beyond the first",
      "(i32.const 7) (i32.const 0) (loop $l (param i32 i32) (result i32 i32) (br_if $l (i32.const 0))) (drop)",
      1 + 2 + 1 + (1 + 2 + 1),
    ],
    [
      "for each value that a table of branches carries, beyond the first",
      "(block (result i32 i32) (i32.const 7) (i32.const 2) (br_table 0 0 (i32.const 0))) (drop)",
      1 + 4 + 1 + (1 + 1),
    ],
    // Each turn of an interpreter is such a jump, and must not pay for all the operations that it does not run.
    [
      "for the one case of a switch that is run, and for what is behind the switch",
      `(block $out (block $b (block $a (br_table $a $b (i32.const 1)))
         (drop (i32.const 1)) (drop (i32.const 2)) (drop (i32.const 3)) (br $out))
         (drop (i32.const 4)) (br $out)) (i32.const 7)`,
      1 + 2 + (1 + 3) + (1 + 1),
    ],
    [
      "for a case and the one that it falls through to",
      "(block $b (block $a (br_table $a $b (i32.const 0))) (drop (i32.const 1))) (drop (i32.const 4)) (i32.const 7)",
      1 + 2 + (1 + 2) + (1 + 3),
    ],
    [
      "for an else that only a branch comes out of, and for what is behind it",
      "(block $out (if (i32.const 0) (then (nop)) (else (br $out))) (drop (i32.const 1))) (i32.const 7)",
      1 + 6,
    ],
    [
      "for what is behind an if, although a branch leaves from it",
      "(block $out (if (i32.const 0) (then (br $out))) (drop (i32.const 1))) (i32.const 7)",
      1 + 6,
    ],
    ["for each value that a call leaves, beyond the first", "(call $pair) (drop)", 1 + 2 + 1 + (1 + 2)],
    ["for each value that a return carries, beyond the first", "(call $returns) (drop)", 1 + 2 + 1 + (1 + 3 + 1)],
    ["for a function that is called, too", "(call $seven)", 2 + 2],
    [
      "by length for filling memory, in eights",
      "(memory.fill (i32.const 0) (i32.const 0) (i32.const 800)) (i32.const 7)",
      1 + 5 + COST.bulk + 100,
    ],
    [
      "by length for copying memory",
      "(memory.copy (i32.const 0) (i32.const 8) (i32.const 80)) (i32.const 7)",
      1 + 5 + COST.bulk + 10,
    ],
    [
      "by page for growing memory",
      "(drop (memory.grow (i32.const 2))) (i32.const 7)",
      1 + 4 + COST.bulk + 2 * COST.page,
    ],
    [
      "by entry for filling a table",
      "(table.fill $t (i32.const 0) (ref.null func) (i32.const 5)) (i32.const 7)",
      1 + 5 + COST.bulk + 5 * COST.entry,
    ],
    // V8 leaves compiled code for each of these, and growing by zero creates a new buffer.
    [
      "a flat price for growing memory by nothing",
      "(drop (memory.grow (i32.const 0))) (i32.const 7)",
      1 + 4 + COST.bulk,
    ],
    [
      "a flat price for filling nothing",
      "(memory.fill (i32.const 0) (i32.const 0) (i32.const 0)) (i32.const 7)",
      1 + 5 + COST.bulk,
    ],
    [
      "a flat price for writing into a table",
      "(table.set $t (i32.const 0) (ref.null func)) (i32.const 7)",
      1 + 4 + COST.bulk,
    ],
  ])("%s", async (_, body, cost) => {
    const fields = `(memory 1) (table $t 10 funcref) (func $seven (result i32) (i32.const 7))
      (func $pair (result i32 i32) (i32.const 7) (i32.const 2))
      (func $returns (result i32 i32) (return (i32.const 7) (i32.const 2)))`;
    const module = running(body, fields);
    const guest = await MeteredGuest.of(module);
    expect(guest.run("run")).toEqual({ result: 7, trapped: false, fuel: cost, ended: "itself" });
    expect(await runUnmetered(module, "run")).toBe(7);
    expect((await MeteredGuest.of(module)).run("run", [], { fuel: cost })).toMatchObject({
      result: 7,
      ended: "itself",
    });
    expect((await MeteredGuest.of(module)).run("run", [], { fuel: cost - 1 })).toMatchObject({
      trapped: true,
      fuel: cost - 1,
      ended: "fuel",
    });
  });

  // A host function has the same cost behind a reference: in a table from the start, or put there by the guest.
  test.each<[string, string, string]>([
    ["directly", "", "(call $host)"],
    ["through a table", "(elem (i32.const 0) func $host)", "(call_indirect (type $v) (i32.const 0))"],
    [
      "through a table that the guest fills from a declared reference",
      "(elem declare func $host)",
      "(table.set (i32.const 0) (ref.func $host)) (call_indirect (type $v) (i32.const 0))",
    ],
    [
      "through a table that the guest fills from a global",
      "(global $g funcref (ref.func $host))",
      "(table.set (i32.const 0) (global.get $g)) (call_indirect (type $v) (i32.const 0))",
    ],
    [
      "through a table that the guest fills from its exports",
      '(export "again" (func $host))',
      "(table.set (i32.const 0) (ref.func $host)) (call_indirect (type $v) (i32.const 0))",
    ],
  ])("a hundred for a call of the host, %s", async (_, fields, body) => {
    const module = wat(`(module (import "${HOST}" "get_log_level" (func $host (result i32)))
      (type $v (func (result i32))) (table 1 funcref) ${fields}
      (func (export "run") (result i32) ${body}) ${HANDLE})`);
    const guest = await MeteredGuest.of(module, { get_log_level: () => 7 });
    const { result, fuel } = guest.run("run");
    expect(result).toBe(7);
    expect(fuel).toBeGreaterThanOrEqual(COST.hostCall);
  });
});

describe("an endless program ends when its fuel is used:", () => {
  test.each([
    ["a loop of nothing", "(loop (br 0))"],
    ["a loop within a loop", "(loop (loop (br 0)) (br 0))"],
    ["a loop that jumps out of an inner one", "(loop $o (loop (br $o)))"],
    ["a loop behind an if", "(loop (if (i32.const 1) (then (br 1))))"],
    ["a loop by br_table", "(loop (br_table 0 0 (i32.const 5)))"],
    ["a loop with a value", "(drop (i32.const 0) (loop (param i32) (result i32) (br 0)))"],
    ["a loop in dead code's place", "(block (br 0)) (loop (br 0))"],
    ["functions that call each other", "(loop (call $ping) (br 0))"],
    ["a function through a table", "(loop (call_indirect (type $v) (i32.const 0)) (br 0))"],
    ["filling memory", "(loop (memory.fill (i32.const 0) (i32.const 1) (i32.const 65536)) (br 0))"],
    ["filling nothing", "(loop (memory.fill (i32.const 0) (i32.const 1) (i32.const 0)) (br 0))"],
    ["copying memory", "(loop (memory.copy (i32.const 1) (i32.const 0) (i32.const 65535)) (br 0))"],
    ["growing memory that cannot grow", "(loop (drop (memory.grow (i32.const 1))) (br 0))"],
    ["asking for memory that nobody has", "(loop (drop (memory.grow (i32.const -1))) (br 0))"],
    ["filling a table", "(loop (table.fill 0 (i32.const 0) (ref.null func) (i32.const 10)) (br 0))"],
    ["growing a table", "(loop (drop (table.grow 0 (ref.null func) (i32.const 1))) (br 0))"],
  ])("%s", async (_, body) => {
    const fields = `(type $v (func)) (memory 1 2) (table 10 funcref) (elem (i32.const 0) func $pong)
      (func $ping (call $pong)) (func $pong)`;
    const guest = await MeteredGuest.of(running(`${body} (unreachable)`, fields));
    for (const fuel of [1_000, 1_000_000]) {
      expect(guest.run("run", [], { fuel })).toMatchObject({ trapped: true, fuel, ended: "fuel" });
    }
  });

  test("and at the same instruction each time, cold or warm, later with more fuel", async () => {
    const module = running(
      "(loop (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1))) (br 0)) (unreachable)",
      '(memory 1) (func (export "turns") (result i32) (i32.load (i32.const 0)))',
    );
    const guest = await MeteredGuest.of(module);
    const turns = (fuel: number): unknown => {
      guest.run("run", [], { fuel });
      const { result } = guest.run("turns");
      expect(guest.instance.restore()).toBe(true);
      return result;
    };
    const perTurn = 1 + 7;
    for (const fuel of [0, 1, 9, 10, 100, 10_000, 3_000_000, 100, 10]) {
      // The function costs 1 and the unreachable 1, before the first turn.
      expect([fuel, turns(fuel)]).toEqual([fuel, Math.max(0, Math.floor((fuel - 2) / perTurn))]);
    }
  });
});

describe("calls that nest without end", () => {
  const RECURSE = '(global $deepest (export "deepest") (mut i32) (i32.const 0))';
  const deepest = (guest: MeteredGuest): unknown => (guest.instance.exports["deepest"] as WebAssembly.Global).value;
  const count = "(global.set $deepest (i32.add (global.get $deepest) (i32.const 1)))";

  test.each([
    ["directly", "(call $run)"],
    ["through another function", "(call $other)"],
    ["through a table", "(call_indirect (type $v) (i32.const 0))"],
  ])("end at the same depth each time, %s", async (_, call) => {
    const fields = `${RECURSE} (type $v (func)) (table 1 funcref) (elem (i32.const 0) func $run) (func $other (call $run))`;
    const guest = await MeteredGuest.of(running(`${count} ${call}`, fields, ""));
    const depths = new Set<unknown>();
    for (let round = 0; round < 30; round += 1) {
      expect(guest.run("run")).toMatchObject({ trapped: true, ended: "depth" });
      depths.add(deepest(guest));
      guest.instance.restore();
    }
    expect(depths.size).toBe(1);
  });

  test("end sooner with less depth, and with larger frames", async () => {
    const depthOf = async (locals: string, depth: number): Promise<number> => {
      const guest = await MeteredGuest.of(running(`${locals} ${count} (call $run)`, RECURSE, ""));
      guest.run("run", [], { depth });
      return deepest(guest) as number;
    };
    const small = await depthOf("", 10_000);
    expect(small).toBeGreaterThan(10);
    expect(await depthOf("", 5_000)).toBeLessThan(small);
    expect(await depthOf(`(local ${"i64 ".repeat(100)})`, 10_000)).toBeLessThan(small / 2);
  });

  test("use no depth after they have returned", async () => {
    const fields = `(func $leaf (param i32) (result i32) (if (local.get 0) (then (return (i32.const 1)))) (block (br 0)) (i32.const 2))
      (type $l (func (param i32) (result i32))) (table 1 funcref) (elem (i32.const 0) func $leaf)`;
    const body = `(local $i i32)
      (loop $l (drop (call $leaf (local.get $i))) (drop (call_indirect (type $l) (local.get $i) (i32.const 0)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $l (i32.lt_u (local.get $i) (i32.const 100000)))) (i32.const 7)`;
    const guest = await MeteredGuest.of(running(body, fields));
    expect(guest.run("run", [], { depth: 100 })).toMatchObject({ result: 7, ended: "itself" });
  });
});

test("a guest cannot reach the counters: an index that only they would have is refused before they are added", async () => {
  for (const index of [0, 1, 2]) {
    const module = moduleWith(`(global (mut i32) (i32.const 0)) (func (global.set ${index} (i64.const 1000000)))`);
    expect(await refused(module)).toMatchObject({
      code: "HOOK_MODULE_INVALID",
      message: "is not a valid WebAssembly module",
    });
  }
});

// Linkers reserve space for numbers that they fill in last: guards in Rust and C have such indices in five bytes.
describe("a number in a longer encoding is read like any other", () => {
  const FIELDS = `(type $v (func (result i32))) (memory 1) (table $t 2 funcref) (elem (i32.const 1) func $seven)
    (global $g (mut i32) (i32.const 3)) (func $seven (type $v) (i32.const 7))`;
  const padded = (value: number): number[] => [value | 0x80, 0x80, 0x80, 0x80, 0x00];

  test.each<[string, string, number[], number[]]>([
    ["of a function", "(call $seven) (drop) (call $seven) (br 0)", [0x10, 0, 0x1a], [0x10, ...padded(0), 0x1a]],
    ["of a function's type", "(call_indirect (type $v) (i32.const 1))", [0x11, 0, 0], [0x11, ...padded(0), 0]],
    ["of a table", "(call_indirect (type $v) (i32.const 1))", [0x11, 0, 0], [0x11, 0, ...padded(0)]],
    [
      "of a table, in a loop",
      "(local $i i32) (loop (result i32) (br_if 1 (i32.const 7) (i32.gt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 5))) (drop) (drop (call_indirect (type $v) (i32.const 1))) (br 0))",
      [0x11, 0, 0],
      [0x11, 0, ...padded(0)],
    ],
    ["of a local", "(local $i i32) (local.set $i (i32.const 7)) (local.get $i)", [0x20, 0], [0x20, ...padded(0)]],
    ["of a global", "(global.set $g (i32.const 7)) (global.get $g)", [0x23, 0], [0x23, ...padded(0)]],
    ["of a constant", "(i32.const 9)", [0x41, 9], [0x41, ...padded(9)]],
    [
      "of an alignment and an offset",
      "(i32.load offset=5 (i32.const 0))",
      [0x28, 2, 5],
      [0x28, ...padded(2), ...padded(5)],
    ],
    [
      "of a loop's jump",
      "(local $i i32) (loop $l (br_if $l (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 5)))) (local.get $i)",
      [0x0d, 0],
      [0x0d, ...padded(0)],
    ],
    [
      "of a memory that is filled",
      "(memory.fill (i32.const 0) (i32.const 1) (i32.const 8)) (i32.const 7)",
      [0xfc, 0x0b, 0],
      [0xfc, ...padded(0x0b), 0],
    ],
  ])("%s", async (_, body, from, to) => {
    const module = running(body, FIELDS);
    const longer = recoded(module, from, to);
    expect(WebAssembly.validate(longer)).toBe(true);
    const expected = (await MeteredGuest.of(module)).run("run");
    expect(expected).toMatchObject({ result: await runUnmetered(module, "run"), ended: "itself" });
    expect((await MeteredGuest.of(longer)).run("run")).toEqual(expected);
  });
});
