import { describe, expect, test } from "vitest";
import { firstDifference } from "../../src/cli/guard/difference.ts";
import fc from "../helpers/fc.ts";

const marked = (wanted: string, got: string): [string, string] => {
  const { wantedFrom, wantedTo, gotFrom, gotTo } = firstDifference(wanted, got);
  const mark = (text: string, from: number, to: number): string =>
    `${text.slice(0, from)}[${text.slice(from, to)}]${text.slice(to)}`;
  return [mark(wanted, wantedFrom, wantedTo), mark(got, gotFrom, gotTo)];
};

describe("the first difference", () => {
  test.each([
    ['names "staging"', 'names "stageing": deploy', 'names "stag[]ing"', 'names "stag[e]ing": deploy'],
    ['names "production"', 'NAMES "production": x', '[names] "production"', '[NAMES] "production": x'],
    ["one two", "see: one three", "one t[wo]", "see: one t[hree]"],
    ["abc", "xyz", "[abc]", "[xyz]"],
    ["abc", "", "[abc]", "[]"],
  ])("of %j and %j is marked in both", (wanted, got, inWanted, inGot) => {
    expect(marked(wanted, got)).toEqual([inWanted, inGot]);
  });

  test("is within both texts, and what comes before and after it is equal", () => {
    const texts = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 });
    fc.assert(
      fc.property(texts, texts, (wanted, got) => {
        fc.pre(!got.includes(wanted));
        const { wantedFrom, wantedTo, gotFrom, gotTo } = firstDifference(wanted, got);
        expect(0 <= wantedFrom && wantedFrom <= wantedTo && wantedTo <= wanted.length).toBe(true);
        expect(0 <= gotFrom && gotFrom <= gotTo && gotTo <= got.length).toBe(true);
        expect(got.slice(0, gotFrom).endsWith(wanted.slice(0, wantedFrom))).toBe(true);
        expect(got.slice(gotTo).startsWith(wanted.slice(wantedTo))).toBe(true);
      }),
    );
  });
});
