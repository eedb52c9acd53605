import { describe, expect, test } from "vitest";
import { readStrictJson } from "../src/strict-json.ts";
import { staysInProportion } from "./helpers/proportion.ts";

const encoder = new TextEncoder();
const read = (text: string) => readStrictJson(encoder.encode(text));
const parsed = (text: string): unknown => {
  const json = read(text);
  if (!json.ok) throw new Error(json.message);
  return json.value;
};
const nested = (depth: number, inside = "1"): string =>
  `{"a":${"[".repeat(depth - 1)}${inside}${"]".repeat(depth - 1)}}`;

describe("an answer is accepted", () => {
  test.each([
    ["{}", {}],
    [" \t\r\n{ } \n", {}],
    ['{"a":[1,-0.5e3,true,false,null,"x",{"b":{}}]}', { a: [1, -500, true, false, null, "x", { b: {} }] }],
    ['{"\\u0061":1,"b":"\\ud83d\\ude00\\n"}', { a: 1, b: "😀\n" }],
    ['{"ü":"🔒"}', { ü: "🔒" }],
    ['{"a":{"x":1},"b":{"x":2},"c":[{"x":3},{"x":4}]}', { a: { x: 1 }, b: { x: 2 }, c: [{ x: 3 }, { x: 4 }] }],
    ['{"":0," ":1}', { "": 0, " ": 1 }],
    ['{"a//b":"/* no comment */"}', { "a//b": "/* no comment */" }],
  ])("if it is an ordinary object: %s", (text, value) => {
    expect(parsed(text)).toEqual(value);
  });

  test("at the maximal depth, and refused one level below", () => {
    expect(read(nested(32)).ok).toBe(true);
    expect(read(nested(33))).toEqual({ ok: false, message: expect.stringContaining("32") });
  });

  test("with any number of siblings: only nesting counts", () => {
    expect(read(`{"a":[${"[],".repeat(1_000)}{}]}`).ok).toBe(true);
  });

  test("with __proto__ as an ordinary key, without changing a prototype", () => {
    const value = parsed('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.hasOwn(value, "__proto__")).toBe(true);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect((value as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("as a new object each time", () => {
    expect(parsed("{}")).not.toBe(parsed("{}"));
  });
});

describe("an answer is refused if it is not an object:", () => {
  test.each(["null", "true", "0", "-1.5", '"deny"', "[]", '[{"decision":"deny"}]', "[[]]"])("%s", (text) => {
    expect(read(text)).toEqual({ ok: false, message: expect.stringContaining("not a JSON object") });
  });
});

describe("an answer is refused as bad JSON if", () => {
  test.each([
    ["it is nothing", ""],
    ["it is white space", "  \n"],
    ["it is a word", "deny"],
    ["it stops early", '{"a":1'],
    ["it stops within a text", '{"a":"'],
    ["something follows it", "{} x"],
    ["another object follows it", '{}{"decision":"deny"}'],
    ["a zero byte follows it", "{}\0"],
    ["a comment stands in it", '{"a":1/* deny */}'],
    ["a comment stands before it", "// deny\n{}"],
    ["a comment stands behind it", "{} // deny"],
    ["a comma trails in an object", '{"a":1,}'],
    ["a comma trails in an array", '{"a":[1,]}'],
    ["a comma is missing", '{"a":1 "b":2}'],
    ["a colon is missing", '{"a" 1}'],
    ["a value is missing", '{"a":}'],
    ["a key has no quotes", "{a:1}"],
    ["a key is in single quotes", "{'a':1}"],
    ["a key is a number", "{1:1}"],
    ["a number has a leading zero", '{"a":01}'],
    ["a number has a leading plus", '{"a":+1}'],
    ["a number ends in a point", '{"a":1.}'],
    ["a number is not one", '{"a":NaN}'],
    ["a number is hexadecimal", '{"a":0x10}'],
    ["a number is endless", '{"a":Infinity}'],
    ["a word is spelled in capitals", '{"a":TRUE}'],
    ["an escape is unknown", '{"a":"\\x61"}'],
    ["an escape is cut off", '{"a":"\\u00g1"}'],
    ["a text has a line break", '{"a":"x\ny"}'],
    ["a text has a tab", '{"a":"x\ty"}'],
    ["a text has a zero byte", '{"a":"x\0y"}'],
    ["white space is not that of JSON", "{\u00a0}"],
  ])("%s", (_, text) => {
    expect(read(text).ok).toBe(false);
  });
});

describe("an answer is refused as bad UTF-8 if", () => {
  const around = (...bytes: number[]) =>
    Uint8Array.from([...encoder.encode('{"a":"'), ...bytes, ...encoder.encode('"}')]);

  test.each([
    ["a byte stands alone", around(0x80)],
    ["a sequence is cut off", around(0xe2, 0x82)],
    ["a character is in too many bytes", around(0xc0, 0xaf)],
    ["half a surrogate pair is encoded", around(0xed, 0xa0, 0x80)],
    ["a character is beyond Unicode", around(0xf4, 0x90, 0x80, 0x80)],
    ["a byte is never part of UTF-8", around(0xff)],
    ["it is UTF-16", Uint8Array.from(Buffer.from('{"a":"ü"}', "utf16le"))],
  ])("%s", (_, bytes) => {
    expect(readStrictJson(bytes).ok).toBe(false);
  });

  test("it starts with a byte order mark, which other readers skip", () => {
    expect(readStrictJson(Uint8Array.of(0xef, 0xbb, 0xbf, ...encoder.encode("{}"))).ok).toBe(false);
  });
});

describe("an answer is refused if an object has a key twice:", () => {
  test.each([
    ["next to each other", '{"decision":"deny","decision":"allow"}'],
    ["the other way round", '{"decision":"allow","decision":"deny"}'],
    ["with the same value", '{"a":1,"a":1}'],
    ["far from each other", `{"a":1,${Array.from({ length: 500 }, (_, index) => `"k${index}":0`).join(",")},"a":2}`],
    ["with objects between them that have it too", '{"a":{"a":1},"b":{"a":2},"a":3}'],
    ["in an object within", '{"a":{"b":{"c":1,"c":2}}}'],
    ["in an object in an array", '{"a":[1,{"c":1,"c":2}]}'],
    ["in an object behind a finished one", '{"a":{"x":1},"b":{"y":1,"y":2}}'],
    ["once escaped", '{"decision":"deny","d\\u0065cision":"allow"}'],
    ["escaped in two ways", '{"\\u002f":1,"\\/":2}'],
    ["with hexadecimal digits in both cases", '{"\\u00e9":1,"\\u00E9":2}'],
    ["as a pair of escapes and as a character", '{"😀":1,"\\ud83d\\ude00":2}'],
    ["when it is empty", '{"":1,"":2}'],
    ["when it is __proto__", '{"__proto__":{},"__proto__":{}}'],
  ])("%s", (_, text) => {
    expect(read(text)).toEqual({ ok: false, message: expect.stringContaining("twice") });
  });

  test("except keys that only look alike", () => {
    expect(parsed('{"é":1,"e\\u0301":2,"A":3,"a":4}')).toEqual({ é: 1, "e\u0301": 2, A: 3, a: 4 });
  });
});

describe("an answer that would exhaust a reader is refused without a crash:", () => {
  test.each([
    ["60,000 nested arrays", "[".repeat(60_000)],
    ["60,000 nested arrays, closed again, in an object", `{"a":${"[".repeat(30_000)}${"]".repeat(30_000)}}`],
    ["10,000 nested objects", '{"a":'.repeat(10_000)],
    ["10,000 nested objects, closed again", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`],
    ["nesting behind a duplicate", `{"a":1,"a":${"[".repeat(60_000)}`],
  ])("%s", (_, text) => {
    expect(read(text).ok).toBe(false);
  });

  test("20,000 different keys are read in a time that is not quadratic", async () => {
    await staysInProportion((length) => {
      expect(read(`{${Array.from({ length }, (_, index) => `"k${index}":0`).join(",")}}`).ok).toBe(true);
    }, 20_000);
  });
});

test("a refusal quotes little of a key, however long the key is", () => {
  const key = "k".repeat(30_000);
  const json = read(`{"${key}":1,"${key}":2}`);
  expect(json.ok ? "" : json.message).toMatch(/^.{1,200}$/);
});
