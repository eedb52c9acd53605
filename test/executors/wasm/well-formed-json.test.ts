import { expect, test } from "vitest";
import { wellFormedJson } from "../../../src/executors/wasm/calls/event-input.ts";
import type { JsonObject } from "../../../src/json.ts";
import fc from "../../helpers/fc.ts";

/** Lone halves of surrogate pairs, backslashes, and texts that resemble an escape of one. */
const unit = fc.oneof(
  fc.constantFrom("\ud800", "\udbff", "\udc00", "\udfff", "\\", "\\ud800", "ud83d", "u", '"', "\u{1f512}", "\ufffd"),
  fc.string({ unit: "binary", maxLength: 3 }),
);
const text = fc.array(unit, { maxLength: 12 }).map((units) => units.join(""));

/** Does what `String.prototype.toWellFormed` does. */
const whole = (one: string): string => one.replace(/\p{Surrogate}/gu, "\ufffd");

/** Does the same for every text in a value. */
function mended(value: unknown): unknown {
  if (typeof value === "string") return whole(value);
  if (Array.isArray(value)) return value.map(mended);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [whole(key), mended(one)]));
}

test("a well-formed text is not changed from JSON.stringify's output", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.string({ unit: "binary" })), (value) => {
      expect(wellFormedJson(value)).toBe(JSON.stringify(value));
    }),
  );
});

test("half of a pair becomes U+FFFD in texts and keys, and nothing else changes", () => {
  const values = fc.dictionary(text, fc.oneof(text, fc.array(text), fc.dictionary(text, text)));
  fc.assert(
    fc.property(values, (value) => {
      const written = wellFormedJson(value as JsonObject);
      expect(whole(written)).toBe(written);
      const read: unknown = JSON.parse(written);
      expect(JSON.stringify(read)).toBe(written);
      expect(read).toEqual(mended(JSON.parse(JSON.stringify(value))));
    }),
    { numRuns: 500 },
  );
});

test("keys that become equal occur once", () => {
  expect(wellFormedJson({ "\ud800": 1, "\ud801": 2 })).toBe('{"\ufffd":2}');
});

test("a backslash before letters that resemble an escape is kept", () => {
  const value = { path: "C:\\udead", odd: "\\\\\ud800" };
  expect(wellFormedJson(value)).toBe(JSON.stringify({ path: "C:\\udead", odd: "\\\\\ufffd" }));
});
