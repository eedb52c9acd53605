import { describe, expect, test } from "vitest";
import { admitCode } from "../../src/sandbox/admission/admission.ts";
import { FunctionWeight, LIFTOFF_LIMITS, OPTIMISER_LIMITS } from "../../src/wasm-binary/function-weight.ts";
import { readModule } from "../../src/wasm-binary/module-binary.ts";
import { OperandStack } from "../../src/wasm-binary/operand-stack.ts";
import { Cursor } from "../../src/wasm-binary/operators.ts";
import { HEAVY_MODULES } from "../heavy/heavy-modules.ts";
import { guest, moduleWith } from "../helpers/guests.ts";
import { sampleOf } from "../helpers/tier.ts";
import { bytesOf } from "../plugins/metered-guard.ts";
import { requirements } from "./module-requirements.ts";

/** Which modules V8 may optimise. `npm run test:heavy` checks the limits. */

const isLight = (module: Uint8Array): boolean => readModule(module).isLight;

const SHAPES = sampleOf(HEAVY_MODULES, 3, ({ is }) => is);

describe("a module may be optimised if", () => {
  test.each(["shell-guard", "secret-guard"])(
    "it is %s, because every TypeScript guard has the same code",
    async (name) => {
      expect(isLight(bytesOf(name))).toBe(true);
    },
  );

  test("it is small", () => {
    for (const name of ["denies", "remembers-in-a-table", "answers-from-its-config"])
      expect(isLight(guest(name))).toBe(true);
  });

  test.each(SHAPES.filter(({ is }) => is !== "refused"))("$name: $is", ({ is, make }) => {
    expect(isLight(make())).toBe(is === "light");
  });
});

test.each(SHAPES.filter(({ is }) => is === "refused"))("$name is refused by a named limit", async ({ make }) => {
  expect(await admitCode(make(), requirements())).toMatchObject({ code: "HOOK_MODULE_LIMIT", kind: "memory" });
});

describe("one more than a limit is refused, or not optimised:", () => {
  const body = (count: number, text: string): Uint8Array<ArrayBuffer> =>
    moduleWith(`(table 1 funcref) (type $t (func)) (func (local i32) ${text.repeat(count)})`);

  test("instructions of a function", async () => {
    // With the function's `end`.
    const most = LIFTOFF_LIMITS.instructions - 1;
    expect(await admitCode(body(most, "unreachable "), requirements())).toMatchObject({ ok: true });
    expect(await admitCode(body(most + 1, "unreachable "), requirements())).toMatchObject({
      message: `has ${most + 2} instructions in a function; the limit is ${most + 1}`,
      limit: LIFTOFF_LIMITS.instructions,
    });
  });

  test("slow operators", () => {
    const divide = "(local.set 0 (i32.div_s (local.get 0) (i32.const 3)))";
    expect(isLight(body(OPTIMISER_LIMITS.slowOperators, divide))).toBe(true);
    expect(isLight(body(OPTIMISER_LIMITS.slowOperators + 1, divide))).toBe(false);
  });

  test("nops, which do not count", () => {
    expect(isLight(body(1_000_000, "nop "))).toBe(true);
  });
});

/** Returns the weight of a function without parameters with this code. */
function weightOf(code: readonly number[]): FunctionWeight {
  const bytes = Uint8Array.from([...code, 0x0b]);
  const arity = { params: 0, results: 0 };
  const stack = new OperandStack(0, { ofType: () => arity, ofFunction: () => arity });
  const weight = new FunctionWeight();
  const cursor = new Cursor(bytes, 0);
  while (cursor.at < bytes.byteLength) {
    const operator = cursor.operator();
    weight.take(operator, stack, 10, bytes);
    stack.take(operator, bytes);
  }
  return weight;
}

describe("branches to one label are counted", () => {
  const [BLOCK, LOOP] = [[0x02, 0x40] as const, [0x03, 0x40] as const];
  const table = (...targets: number[]) => [0x41, 0, 0x0e, targets.length - 1, ...targets];

  test("through br, br_if and every entry of a br_table, to a loop as to a block", () => {
    // The table has three entries. Two of them, the br_if and the br target the outer block.
    const code = [...BLOCK, ...LOOP, 0x41, 0, 0x0d, 1, ...table(1, 0, 1), 0x0b, 0x0c, 0, 0x0b];
    expect(weightOf(code).switchPairs).toBe(3 * 4);
  });

  test("for each label separately: a closed label does not count for the next", () => {
    const once = [...BLOCK, ...table(0, 0), 0x0b];
    expect(weightOf([...once, ...once]).switchPairs).toBe(2 * 2);
    expect(weightOf([...once, ...BLOCK, 0x0c, 0, 0x0b]).switchPairs).toBe(2 * 2);
  });

  test("to the function itself", () => {
    expect(weightOf([...BLOCK, ...table(1, 1, 1), 0x0b]).switchPairs).toBe(3 * 3);
  });
});
