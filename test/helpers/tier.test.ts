import { describe, expect, test } from "vitest";
import { sampleOf } from "./tier.ts";

const cases = Array.from({ length: 40 }, (_, index) => ({ index, kind: index < 33 ? "many" : `one of ${index}` }));
const kindOf = ({ kind }: (typeof cases)[number]): string => kind;

describe("a sample of a matrix", () => {
  test("contains some cases of each kind and every case that is the only one of its kind, and is the same each time", () => {
    const sample = sampleOf(cases, 4, kindOf, false);
    expect(sample.filter(({ kind }) => kind === "many")).toHaveLength(9);
    expect(sample.filter(({ kind }) => kind !== "many")).toEqual(cases.slice(33));
    expect(sample).toEqual(sampleOf(cases, 4, kindOf, false));
    expect(sample).toEqual([...sample].sort((one, other) => one.index - other.index));
  });

  test("is the whole matrix if all tests are run", () => {
    expect(sampleOf(cases, 4, kindOf, true)).toEqual(cases);
  });
});
