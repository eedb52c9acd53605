import { describe, expect, test } from "vitest";
import fc from "../helpers/fc.ts";
import { HANDLE, wat } from "../helpers/guests.ts";
import { times } from "../helpers/tier.ts";
import { MeteredGuest } from "./metered-guest.ts";

/**
 * Programs that may end: loops count down and functions call only later ones, but a loop within a loop that counts with
 * the same local goes on until its fuel is used.
 */
interface Program {
  readonly bodies: readonly string[];
}

const LOCALS = ["$a", "$b"];
const FUNCTIONS = 4;
const local = fc.constantFrom(...LOCALS);

const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.integer({ min: -5, max: 300 }).map((value) => `(i32.const ${value})`),
    local.map((name) => `(local.get ${name})`),
    fc.constant("(global.get $g)"),
    fc.constant("(memory.size)"),
    fc
      .tuple(
        fc.constantFrom("add", "sub", "mul", "and", "xor", "lt_s", "eq", "shr_u"),
        tie("expression"),
        tie("expression"),
      )
      .map(([operator, left, right]) => `(i32.${operator} ${left} ${right})`),
    tie("expression").map((value) => `(i32.load (i32.and ${value} (i32.const 0xfffc)))`),
    fc
      .tuple(tie("expression"), tie("expression"), tie("expression"))
      .map(([condition, left, right]) => `(if (result i32) ${condition} (then ${left}) (else ${right}))`),
    fc
      .tuple(tie("expression"), tie("expression"))
      .map(([left, right]) => `(block (result i32) ${left} (br_if 0 ${right}) (drop) ${left})`),
    fc.tuple(tie("expression"), tie("expression"), tie("expression")).map((values) => `(select ${values.join(" ")})`),
  ),
}));

const { statement } = fc.letrec<{ statement: string }>((tie) => ({
  statement: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.tuple(local, expression).map(([name, value]) => `(local.set ${name} ${value})`),
    expression.map((value) => `(global.set $g ${value})`),
    fc.tuple(expression, expression).map(([at, value]) => `(i32.store (i32.and ${at} (i32.const 0xfffc)) ${value})`),
    fc
      .tuple(expression, tie("statement"), tie("statement"))
      .map(([condition, yes, no]) => `(if ${condition} (then ${yes}) (else ${no}))`),
    fc
      .tuple(expression, tie("statement"), tie("statement"))
      .map(([condition, first, then]) => `(block ${first} (br_if 0 ${condition}) ${then})`),
    fc
      .tuple(expression, tie("statement"))
      .map(([index, inside]) => `(block (block (br_table 0 1 ${index}) ) ${inside})`),
    fc.tuple(fc.integer({ min: 1, max: 6 }), tie("statement"), fc.nat()).map(
      ([turns, inside, id]) => `(block (local.set $n${id % 3} (i32.const ${turns})) (loop $l ${inside}
        (br_if $l (i32.gt_s (local.tee $n${id % 3} (i32.sub (local.get $n${id % 3}) (i32.const 1))) (i32.const 0)))))`,
    ),
    fc
      .tuple(fc.constantFrom("fill", "copy"), expression, expression)
      .map(
        ([operation, at, value]) =>
          `(memory.${operation} (i32.and ${at} (i32.const 0xff)) (i32.and ${value} (i32.const 0xff)) (i32.and ${at} (i32.const 0x3f)))`,
      ),
    expression.map((pages) => `(drop (memory.grow (i32.and ${pages} (i32.const 1))))`),
    expression.map((value) => `(if (i32.eq ${value} (i32.const 77)) (then (return (local.get $a))))`),
    fc.tuple(expression, expression).map((values) => `(local.set $b (call $next ${values.join(" ")}))`),
    fc
      .tuple(expression, expression)
      .map((values) => `(local.set $a (call_indirect (type $f) ${values.join(" ")} (i32.const $index)))`),
  ),
}));

const program: fc.Arbitrary<Program> = fc
  .array(fc.array(statement, { maxLength: 4 }), { minLength: FUNCTIONS, maxLength: FUNCTIONS })
  .map((functions) => ({ bodies: functions.map((statements) => statements.join("\n")) }));

function assemble({ bodies }: Program): Uint8Array<ArrayBuffer> {
  const type = "(type $f) (param $a i32) (param $b i32) (result i32)";
  const functions = bodies.map((body, index) => {
    const calling = body.replaceAll("$next", `$f${index + 1}`).replaceAll("$index", String(index + 1));
    return `(func $f${index} (export "f${index}") ${type} (local $n0 i32) (local $n1 i32) (local $n2 i32)
      ${calling} (i32.add (local.get $a) (local.get $b)))`;
  });
  const names = [...bodies, ""].map((_, index) => `$f${index}`);
  return wat(`(module (type $f (func (param i32 i32) (result i32)))
    (memory (export "memory") 2 6) (data (i32.const 64) "some data to begin with")
    (global $g (export "g") (mut i32) (i32.const 5))
    (table ${names.length} funcref) (elem (i32.const 0) ${names.join(" ")})
    ${functions.join("\n")}
    (func ${names.at(-1)} ${type} (i32.sub (local.get $a) (local.get $b)))
    ${HANDLE})`);
}

const FUEL = 2_000_000;
const stateOf = (exports: WebAssembly.Exports): unknown => ({
  g: (exports["g"] as WebAssembly.Global).value,
  memory: Buffer.from((exports["memory"] as WebAssembly.Memory).buffer).toString("base64"),
});

describe("a metered program", () => {
  test("does what the author's program does, for the same cost each time, and exactly that cost is enough", async () => {
    let completed = 0;
    await fc.assert(
      fc.asyncProperty(
        program,
        fc.integer({ min: -9, max: 99 }),
        fc.integer({ min: -9, max: 99 }),
        async (source, a, b) => {
          const module = assemble(source);
          const guest = await MeteredGuest.of(module);
          const first = guest.run("f0", [a, b], { fuel: FUEL });
          if (first.ended !== "itself") {
            expect(first).toMatchObject({ ended: "fuel", fuel: FUEL, trapped: true });
            return;
          }
          completed += 1;
          const { instance } = await WebAssembly.instantiate(module, {});
          let result: unknown;
          let trapped = false;
          try {
            result = (instance.exports["f0"] as (...values: number[]) => unknown)(a, b);
          } catch {
            trapped = true;
          }
          expect(first.trapped).toBe(trapped);
          if (!trapped) expect(first.result).toBe(result);
          expect(stateOf(guest.instance.exports)).toEqual(stateOf(instance.exports));

          const again = (await MeteredGuest.of(module)).run("f0", [a, b], { fuel: first.fuel });
          expect(again).toEqual(first);
          const less = (await MeteredGuest.of(module)).run("f0", [a, b], { fuel: first.fuel - 1 });
          expect(less).toMatchObject({ trapped: true, ended: "fuel", fuel: first.fuel - 1 });
        },
      ),
      { numRuns: 150 },
    );
    expect(completed).toBeGreaterThan(times(30, 6));
  });
});
