import { afterAll, describe, expect, test } from "vitest";
import { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import { evaluate, resultOf, ScriptTable, saying } from "./script-guard.ts";

/** What authors can rely on in a guard, tested inside a guard. */

const executor = new WasmExecutor({ threads: 1 });
afterAll(() => executor.close());

const table = new ScriptTable();

const cases = (expected: readonly (readonly [expression: string, value: unknown])[]): void => {
  for (const [expression, value] of expected) {
    const entry = table.add(saying(expression));
    test(expression, async () => expect(await resultOf(entry, executor)).toEqual(value));
  }
};

describe("text", () => {
  cases([
    ['"e\\u0301".normalize("NFC") === "\\u00e9"', true],
    ['"\\ufb01".normalize("NFKC")', "fi"],
    ['[..."a\\u{1f600}b"].length', 3],
    ['"\\u{1f600}".codePointAt(0)', 0x1f600],
    ['"stra\\u00dfe".toUpperCase()', "STRASSE"],
    ['"\\u0130".toLowerCase() === "i\\u0307"', true],
    ['"a\\ud800b".isWellFormed()', false],
    ['"a\\ud800b".toWellFormed()', "a\ufffdb"],
    ['"aXbX".replaceAll("X", "-")', "a-b-"],
    ['"abc".at(-1)', "c"],
    ['["b", "\\u00e4", "a"].sort()', ["a", "b", "ä"]],
    ['"a".localeCompare("b")', -1],
    ['encodeURIComponent("\\u00e4 /")', "%C3%A4%20%2F"],
  ]);
});

describe("regular expressions", () => {
  cases([
    ['"2026-11-21".match(/(?<year>\\d+)-(?<month>\\d+)/).groups.month', "11"],
    ['"price: $5".match(/(?<=\\$)\\d/)[0]', "5"],
    ['/(?<!rm )-rf/.test("rm -rf")', false],
    ['/^\\p{Lu}\\p{Script=Greek}+$/u.test("\\u0391\\u03b2\\u03b3")', true],
    ['/\\p{L}/u.test("1")', false],
    ['(() => { const r = /a/y; r.lastIndex = 1; return r.test("ba"); })()', true],
    ['[..."a1b2".matchAll(/[a-z](\\d)/g)].map((m) => m[1])', ["1", "2"]],
    ['/a.c/s.test("a\\nc")', true],
    ['/(a)(b)?/d.exec("ab").indices?.[1]', [0, 1]],
    ['/\\u{1f600}/u.test("\\u{1f600}")', true],
    ['/^\\w+$/i.test("\\u017f")', false],
  ]);
});

describe("time and random numbers are fixed", () => {
  cases([
    ["Date.now()", 0],
    ["new Date().toISOString()", "1970-01-01T00:00:00.000Z"],
    ["new Date(2026, 6, 1).getTimezoneOffset()", 0],
    ["new Date(2026, 6, 1).toISOString()", "2026-07-01T00:00:00.000Z"],
    ['Date.parse("2026-11-21T10:00:00+02:00")', 1_795_248_000_000],
    ['new Date("2026-02-30T00:00:00Z").getTime()', 1_772_409_600_000],
  ]);

  const chance = table.add(saying("[Math.random(), Math.random()]"));
  test("Math.random gives the same numbers in each call, and different ones in one", async () => {
    const first = (await resultOf(chance, executor)) as number[];
    expect(await resultOf(chance, executor)).toEqual(first);
    expect(first[0]).not.toBe(first[1]);
  });
});

describe("numbers and JSON", () => {
  cases([
    ["String(2n ** 100n)", "1267650600228229401496703205376"],
    ["String(-7n / 2n)", "-3"],
    ["0.1 + 0.2", 0.1 + 0.2],
    ["(25).toString(36) + (0.5).toString(2)", "p0.1"],
    ["(1e21).toString() + (123.456).toFixed(1)", "1e+21123.5"],
    ["Math.max() === -Infinity && Object.is(-0, JSON.parse('-0'))", true],
    ['JSON.parse(\'{"a":1,"a":2}\').a', 2],
    ["Object.keys(JSON.parse('{\"__proto__\":1}'))", ["__proto__"]],
    ["JSON.stringify('\\ud800')", '"\\ud800"'],
    ["JSON.stringify({ a: undefined, b: NaN, c: [undefined] })", '{"b":null,"c":[null]}'],
    [
      "['01', \"'a'\", '[1,]', '\\u00a01', '{a:1}', ''].map((t) => { try { JSON.parse(t); return t; } catch { return 0; } })",
      [0, 0, 0, 0, 0, 0],
    ],
    ["JSON.parse('\"\\\\u0072m \\\\/\"')", "rm /"],
  ]);
});

describe("the library", () => {
  cases([
    ["[3, 1, 2].map((n, i) => ({ n: n % 2, i })).sort((a, b) => a.n - b.n).map(({ i }) => i)", [2, 0, 1]],
    ["Object.groupBy([1, 2, 3], (n) => (n % 2 ? 'odd' : 'even')).odd", [1, 3]],
    [
      "[3, 1].toSorted().concat([1, 2].toReversed(), [1, 2].with(0, 9), [1, 2, 3].findLast((n) => n < 3))",
      [1, 3, 2, 1, 9, 2, 2],
    ],
    ["[1, [2, [3]]].flat(Infinity)", [1, 2, 3]],
    ["[...new Map([[1, 'a']]).entries()]", [[1, "a"]]],
    ["new Uint8Array([1, 256, 3]).join()", "1,0,3"],
    ["Object.hasOwn({ a: 1 }, 'a') && Object.fromEntries([['a', 1]]).a === 1", true],
    [
      "(() => { class A { #x = 1; static s = 2; get x() { return this.#x; } static { A.t = 3; } } return [new A().x, A.s, A.t]; })()",
      [1, 2, 3],
    ],
    ["[...(function* () { yield 1; yield* [2, 3]; })()]", [1, 2, 3]],
    ["new Proxy({}, { get: (_, key) => key }).hello", "hello"],
    ["(() => { try { throw new Error('a', { cause: 'b' }); } catch ({ cause }) { return cause; } })()", "b"],
    [
      "(() => { const { a = 1, ...rest } = { b: 2 }; return [a, rest, null ?? 3, undefined?.x ?? 4]; })()",
      [1, { b: 2 }, 3, 4],
    ],
  ]);
});

for (const text of [
  "1.",
  "1.e5",
  "-01",
  "01",
  "-.5",
  "+1",
  '"\\x6c"',
  '"\\v"',
  '"\\u{6c}"',
  '"\\u00"',
  '"\\0"',
  '"\\\n"',
  '"\t"',
  "[1,]",
  "'a'",
]) {
  const script = `(() => { try { return JSON.parse(${JSON.stringify(text)}); } catch ({ name }) { return name; } })()`;
  const entry = table.add(saying(script));
  test(`JSON.parse refuses ${text}, which JSON does not have`, async () => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(await resultOf(entry, executor)).toBe("SyntaxError");
  });
}

test("JSON reads and writes texts as JSON does elsewhere", async () => {
  const texts = [
    "plain",
    "ends with a \\",
    '"quoted"',
    "\u0000\u001f\u007f",
    "a\n\tb",
    "é",
    "日本 \u{1f600}",
    "",
    "x".repeat(999),
  ];
  const script = `(${JSON.stringify(texts)}).map((text) => [JSON.stringify(text), JSON.parse(JSON.stringify(text)) === text])`;
  expect(await evaluate(script, executor)).toEqual(texts.map((text) => [JSON.stringify(text), true]));
});

// A change here is a change of what authors can write: the engine's README has this list too.
test("the globals are these, and not those", async () => {
  const expected = {
    Array: true,
    BigInt: true,
    Date: true,
    FinalizationRegistry: true,
    Iterator: false,
    JSON: true,
    Map: true,
    Promise: true,
    Proxy: true,
    Reflect: true,
    RegExp: true,
    Symbol: true,
    Uint8Array: true,
    WeakMap: true,
    WeakRef: true,
    queueMicrotask: true,
    structuredClone: false,
    Atomics: false,
    SharedArrayBuffer: false,
    Intl: false,
    WebAssembly: false,
    TextEncoder: false,
    TextDecoder: false,
    URL: false,
    atob: false,
    console: false,
    fetch: false,
    setTimeout: false,
    performance: false,
    crypto: false,
    process: false,
    require: false,
    std: false,
    os: false,
  };
  const names = JSON.stringify(Object.keys(expected));
  const found = await evaluate(`Object.fromEntries(${names}.map((name) => [name, name in globalThis]))`, executor);
  expect(found).toEqual(expected);
});

test("newer features are these, and not those", async () => {
  const expected = {
    "[].toSorted": true,
    "Object.groupBy": true,
    "Promise.withResolvers": true,
    "Promise.try": false,
    "Array.fromAsync": false,
    "Set.prototype.union": false,
    "String.prototype.isWellFormed": true,
    "RegExp.escape": false,
    "Iterator.prototype.map": false,
    "Error.captureStackTrace": false,
    "Math.f16round": false,
    "Math.sumPrecise": false,
    "Uint8Array.fromBase64": false,
    "ArrayBuffer.prototype.transfer": false,
    "Atomics?.wait": false,
  };
  const features = Object.keys(expected).map(
    (name) =>
      `[${JSON.stringify(name)}, (() => { try { return typeof ${name} === "function"; } catch { return false; } })()]`,
  );
  expect(await evaluate(`Object.fromEntries([${features.join()}])`, executor)).toEqual(expected);
});

test("the v flag of regular expressions is not supported, and the build says so", async () => {
  await expect(evaluate("/[a]/v.test('b')", executor)).rejects.toThrow(/SyntaxError: invalid regular expression flags/);
});

test("traces contain function, line and column", async () => {
  const trace = await evaluate(
    "(function outer() { return (function inner() { return new Error('x').stack; })(); })()",
    executor,
  );
  expect(trace).toMatch(
    /^ {4}at inner \(guard\.js:\d+:\d+\)\n {4}at outer \(guard\.js:\d+:\d+\)\n {4}at handle \(guard\.js:/,
  );
});
