import { describe, expect, test } from "vitest";
import { HOLE, OPTIONAL, starPattern } from "../src/star-pattern.ts";
import fc from "./helpers/fc.ts";

const letters = fc.string({ unit: fc.constantFrom("a", "b", " "), maxLength: 8 });
const patterns = fc.string({ unit: fc.constantFrom("a", "b", " ", "*"), maxLength: 8 });

/** The same with JavaScript's own regular expressions, for short texts. */
function byRegExp(pattern: string, text: string): boolean {
  return new RegExp(`^${pattern.split("*").join("[^]*")}$`).test(text);
}

describe("a pattern with *", () => {
  test("matches the same as a regular expression", () => {
    fc.assert(
      fc.property(patterns, letters, (pattern, text) => {
        expect(starPattern(pattern).matches(text)).toBe(byRegExp(pattern, text));
      }),
      { numRuns: 2_000 },
    );
  });

  test("matches a text with a gap if it matches one way to fill the gap", () => {
    fc.assert(
      fc.property(patterns, letters, letters, letters, (pattern, before, filling, after) => {
        if (!starPattern(pattern).matches(before + filling + after)) return;
        expect(starPattern(pattern).matches(before + HOLE + after)).toBe(true);
        if (!filling.startsWith(" ") && filling !== "") return;
        expect(starPattern(pattern).matches(`${before}${OPTIONAL} ${HOLE}${after}`)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("does not match a text with a gap that no text can fill", () => {
    fc.assert(
      fc.property(patterns, letters, letters, (pattern, before, after) => {
        const fillings = ["", "a", "b", " ", ...pattern.split("*"), pattern.replaceAll("*", "")];
        const tails = [...pattern].map((_, at) => pattern.slice(at).replaceAll("*", ""));
        const middles = tails.flatMap((tail) => [...tail].map((_, at) => tail.slice(0, at + 1)));
        const possible = [...fillings, ...middles].some((filling) => byRegExp(pattern, before + filling + after));
        expect(starPattern(pattern).matches(before + HOLE + after)).toBe(possible);
      }),
      { numRuns: 2_000 },
    );
  });
});
