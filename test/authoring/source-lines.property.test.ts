import { describe, expect, test } from "vitest";
import { mapStack } from "../../guest-sdk/typescript/stack-lines.ts";
import { withLineTable } from "../../src/authoring/typescript/line-table.ts";
import { readMappings, type Segment, segmentAt } from "../../src/authoring/typescript/source-lines.ts";
import fc from "../helpers/fc.ts";

const SOURCES = ["guard.ts", "hookbox/guest/index.js", "lib/words.ts"];

const lines: fc.Arbitrary<readonly (readonly Segment[])[]> = fc.array(
  fc
    .uniqueArray(
      fc.record({
        generatedColumn: fc.nat(200),
        source: fc.nat(SOURCES.length - 1),
        line: fc.nat(5_000),
        column: fc.nat(200),
      }),
      { selector: ({ generatedColumn }) => generatedColumn, maxLength: 6 },
    )
    .map((segments) => segments.sort((a, b) => a.generatedColumn - b.generatedColumn)),
  { minLength: 1, maxLength: 20 },
);

describe("the table of lines in a script", () => {
  test("maps a stack in the guard to the author's line, and never to our own library", () => {
    fc.assert(
      fc.property(lines, fc.nat(), fc.nat(220), (segments, at, column) => {
        const script = withLineTable("", segments, SOURCES, "guard.js");
        const table = JSON.parse(/\)\((\{.*\})\);\n$/.exec(script)?.[1] ?? "");
        const line = at % segments.length;
        const own = (segments[line] ?? []).filter(({ source }) => source !== 1);
        const expected = own.findLast(({ generatedColumn }) => generatedColumn <= column) ?? own[0];
        const [frame] = mapStack(`    at f (guard.js:${line + 1}:${column + 1})`, table);
        if (expected === undefined) expect(frame).toBeUndefined();
        else {
          // A place is as far from the segment before it as in the source.
          const offset = Math.max(0, column - expected.generatedColumn);
          const place = `${SOURCES[expected.source]}:${expected.line + 1}:${expected.column + offset + 1}`;
          expect(frame).toBe(`    at f (${place})`);
        }
      }),
    );
  });

  test("keeps the script on its own lines", () => {
    const script = withLineTable("first();\nsecond();", [[]], [], "guard.js");
    expect(script.split("\n").slice(0, 2)).toEqual([
      expect.stringMatching(/first\(\);$/),
      expect.stringMatching(/^second\(\);/),
    ]);
  });
});

describe("a source map", () => {
  test("is read as it was written", () => {
    // From the source map specification: differences, in base 64 digits of five bits, across lines.
    expect(readMappings("AAAA,IAAM;;ACCA,gBAAgB")).toEqual([
      [
        { generatedColumn: 0, source: 0, line: 0, column: 0 },
        { generatedColumn: 4, source: 0, line: 0, column: 6 },
      ],
      [],
      [
        { generatedColumn: 0, source: 1, line: 1, column: 6 },
        { generatedColumn: 16, source: 1, line: 1, column: 22 },
      ],
    ]);
  });

  test("with anything else in it is refused", () => {
    expect(() => readMappings("A!")).toThrow('the character "!"');
  });

  test("finds the segment before a column, or the first", () => {
    const [line = []] = readMappings("IAAA,IAAM");
    expect(segmentAt(line, 5)?.column).toBe(0);
    expect(segmentAt(line, 8)?.column).toBe(6);
    expect(segmentAt(line, 0)?.column).toBe(0);
    expect(segmentAt([], 0)).toBeUndefined();
  });
});
