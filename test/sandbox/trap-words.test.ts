import { expect, test } from "vitest";
import { trapWords } from "../../src/sandbox/guest/trap-words.ts";
import { wat } from "../helpers/guests.ts";

const FIELDS = `(memory 1) (table $t 2 funcref) (type $v (func)) (type $i (func (param i32)))
  (elem (table $t) (i32.const 1) func $f) (data $d "abc") (elem $e func $f) (func $f)`;

async function trapOf(module: Uint8Array<ArrayBuffer>): Promise<string> {
  try {
    const { instance } = await WebAssembly.instantiate(module, {});
    (instance.exports["run"] as () => void)();
  } catch (error) {
    expect(error).toBeInstanceOf(WebAssembly.RuntimeError);
    return trapWords((error as Error).message);
  }
  throw new Error("it did not trap");
}

const NO_FUNCTION = "call of a null function, or of a function of another type";

// V8's messages differ between the versions in Node.
test.each([
  ["unreachable", "unreachable"],
  ["(drop (i32.load (i32.const -1)))", "memory access out of bounds"],
  ["(memory.fill (i32.const -1) (i32.const 1) (i32.const 9))", "memory access out of bounds"],
  ["(memory.init $d (i32.const 0) (i32.const 0) (i32.const 9))", "memory access out of bounds"],
  ["(table.init $t $e (i32.const 0) (i32.const 0) (i32.const 9))", "table access out of bounds"],
  ["(drop (table.get $t (i32.const 9)))", "table access out of bounds"],
  ["(call_indirect $t (type $v) (i32.const 9))", "table access out of bounds"],
  ["(call_indirect $t (type $v) (i32.const 0))", NO_FUNCTION],
  ["(call_indirect $t (type $i) (i32.const 1) (i32.const 1))", NO_FUNCTION],
  ["(drop (i32.div_u (i32.const 1) (i32.const 0)))", "divide by zero"],
  ["(drop (i64.rem_s (i64.const 1) (i64.const 0)))", "remainder by zero"],
  ["(drop (i32.div_s (i32.const 0x80000000) (i32.const -1)))", "divide result out of range"],
  ["(drop (i32.trunc_f64_s (f64.const 1e99)))", "float out of the range of an integer"],
])("%s traps with a message of hookbox", async (body, words) => {
  expect(await trapOf(wat(`(module ${FIELDS} (func (export "run") ${body}))`))).toBe(words);
});

test("a segment that does not fit traps with a message of hookbox", async () => {
  expect(await trapOf(wat('(module (memory 1) (data (i32.const 65535) "abc"))'))).toBe("segment out of bounds");
  const table = wat("(module (table 1 funcref) (elem (i32.const 1) func $f) (func $f))");
  expect(await trapOf(table)).toBe("table access out of bounds");
});

test("an unknown trap keeps V8's message", () => {
  expect(trapWords("something new")).toBe("something new");
});
