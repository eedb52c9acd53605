import { expect, test } from "vitest";
import { asciiJson } from "../../src/cli/ascii-json.ts";
import fc from "../helpers/fc.ts";

const text = fc.string({ unit: "binary" });

test("JSON for machines has the same value as any other, in printable ASCII only", () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue({ stringUnit: "binary" }), fc.dictionary(text, text)), (value) => {
      const written = asciiJson(value);
      expect(written).toMatch(/^[\n -~]*$/);
      expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("a lone surrogate is kept", () => {
  expect(asciiJson("\ud800")).toBe('"\\ud800"');
  expect(asciiJson("\u{1f600}\u007f\u202e")).toBe('"\\ud83d\\ude00\\u007f\\u202e"');
});
