import { describe, expect, test } from "vitest";
import { parseJsonObject } from "../src/json.ts";
import { excessOfText, excessOfValue, JSON_BOUNDS, type JsonBounds, membersBeforeExcess } from "../src/json-bounds.ts";
import fc from "./helpers/fc.ts";

/** Counts by the plain definition: recursively, over what `JSON.parse` returns for the text. */
function measure(value: unknown): { readonly depth: number; readonly values: number } {
  if (typeof value !== "object" || value === null) return { depth: 0, values: 1 };
  const members = Object.values(value).map(measure);
  return {
    depth: 1 + Math.max(0, ...members.map(({ depth }) => depth)),
    values: 1 + members.reduce((sum, { values }) => sum + values, 0),
  };
}

function isWithin(value: unknown, bounds: JsonBounds): boolean {
  const { depth, values } = measure(value);
  return depth <= bounds.depth && values <= bounds.values;
}

const bounds = fc.record({ depth: fc.integer({ min: 0, max: 6 }), values: fc.integer({ min: 1, max: 30 }) });
const spaces = fc.constantFrom("", " ", "\n", "\t", "\r\n  ");
/** Keys and texts with all characters that the scanner must not mistake for structure. */
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc
    .array(fc.constantFrom('"', "\\", "\\\\", "[", "]", "{", "}", ",", ":", '\\"', "\u2028", "\ud800", "é"), {
      maxLength: 8,
    })
    .map((parts) => parts.join("")),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 8, withCrossShrink: true },
    fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.oneof(text, fc.constant("__proto__")), tie("value"), { maxKeys: 5 }),
  ),
}));

/** Returns JSON with random white space between its tokens. */
function written(one: unknown, gap: string): string {
  if (typeof one !== "object" || one === null) return JSON.stringify(one);
  if (Array.isArray(one)) return `[${gap}${one.map((item) => written(item, gap)).join(`${gap},${gap}`)}${gap}]`;
  const members = Object.entries(one).map(([key, item]) => `${JSON.stringify(key)}${gap}:${gap}${written(item, gap)}`);
  return `{${gap}${members.join(`,${gap}`)}${gap}}`;
}

describe("excessOfText", () => {
  test("accepts exactly what a recursive count over the parsed value accepts", () => {
    fc.assert(
      fc.property(value, spaces, bounds, (one, gap, limits) => {
        const json = `${gap}${written(one, gap)}${gap}`;
        const excess = excessOfText(json, limits);
        expect(excess === undefined).toBe(isWithin(JSON.parse(json), limits));
        if (excess !== undefined) expect(excess.value).toBeGreaterThan(excess.limit);
      }),
      { numRuns: 2_000 },
    );
  });

  test("never throws, and counts at least what a parser reads of a truncated or damaged text", () => {
    const garbage = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc
        .array(fc.constantFrom("{", "[", "]", "}", ",", '"', "\\", ":", "1", "null", " "), { maxLength: 60 })
        .map((parts) => parts.join("")),
      fc.tuple(value, fc.nat({ max: 80 })).map(([one, end]) => JSON.stringify(one).slice(0, end)),
    );
    fc.assert(
      fc.property(garbage, bounds, (one, limits) => {
        const excess = excessOfText(one, limits);
        let parsed: unknown;
        try {
          parsed = JSON.parse(one);
        } catch {
          expect(typeof membersBeforeExcess(one, limits).members).toBe("string");
          return;
        }
        expect(excess === undefined).toBe(isWithin(parsed, limits));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ["empty arrays", "[[]]", { depth: 2, values: 2 }],
    ["white space within brackets", "[ [ \n ] ]", { depth: 2, values: 2 }],
    ["an escaped quote before a bracket", String.raw`["\"[[[["]`, { depth: 1, values: 2 }],
    ["an escaped backslash at the end of a string", String.raw`["\\",[1]]`, { depth: 2, values: 4 }],
    ["a key with brackets", '{"[[[":{"}}}":1}}', { depth: 2, values: 3 }],
  ])("counts %s", (_, json, exact) => {
    expect(excessOfText(json, exact)).toBeUndefined();
    expect(excessOfText(json, { ...exact, depth: exact.depth - 1 })).toMatchObject({ bound: "depth" });
    expect(excessOfText(json, { ...exact, values: exact.values - 1 })).toMatchObject({ bound: "values" });
  });

  test("stops at the first excess, however long the rest of the text is", () => {
    const deep = "[".repeat(8_000_000);
    const wide = `[${"{},".repeat(4_000_000)}`;
    const few = excessOfText(deep.slice(0, 1_000));
    expect(excessOfText(deep)).toEqual(few);
    expect(few).toMatchObject({ bound: "depth", limit: JSON_BOUNDS.depth, value: JSON_BOUNDS.depth + 1 });
    expect(excessOfText(wide)).toMatchObject({ bound: "values", limit: JSON_BOUNDS.values });
  });

  test("counts a long text as one value", () => {
    const content = 'if (a["b"]) { return [1, 2] }\n'.repeat(300_000);
    expect(excessOfText(JSON.stringify({ content }), { depth: 1, values: 2 })).toBeUndefined();
  });
});

describe("membersBeforeExcess", () => {
  test("returns the members before the one that exceeds the bounds", () => {
    const json = '{"id":7,"hook_event_name":"Stop","list":[1,2,3,4,5],"late":1}';
    expect(JSON.parse(membersBeforeExcess(json, { depth: 8, values: 6 }).members)).toEqual({
      id: 7,
      hook_event_name: "Stop",
    });
  });

  test("returns the complete members of a truncated text", () => {
    expect(parseJsonObject(membersBeforeExcess('{"id":"a","n":{"x":[1,2,"').members)).toEqual({ id: "a" });
  });

  test.each(["[1,[2,3,4,5,6,7,8]]", '"a,b"', "", '{"a":[[[[[[[[1]]]]]]]]}'])("returns no members for %s", (json) => {
    expect(parseJsonObject(membersBeforeExcess(json, { depth: 3, values: 4 }).members)).toBeUndefined();
  });
});

describe("excessOfValue", () => {
  test("counts the same as for the value's text", () => {
    fc.assert(
      fc.property(value, bounds, (one, limits) => {
        const copy: unknown = JSON.parse(JSON.stringify(one));
        expect(excessOfValue(copy, limits) === undefined).toBe(isWithin(copy, limits));
      }),
    );
  });

  test("rejects a value that contains itself, and a value that is shared too often", () => {
    const loop: unknown[] = [];
    loop.push(loop);
    expect(excessOfValue(loop)).toMatchObject({ bound: "depth" });
    let shared: unknown = [1];
    for (let level = 0; level < 30; level += 1) shared = [shared, shared];
    expect(excessOfValue(shared)).toMatchObject({ bound: "values" });
  });

  test("counts the holes of a sparse array without visiting them", () => {
    expect(excessOfValue({ list: new Array(4_000_000_000) })).toMatchObject({ bound: "values" });
  });
});
