import { describe, expect, test } from "vitest";
import { afterFirstLine, FirstLine, MAX_FIRST_LINE_BYTES } from "../../src/processes/first-line.ts";
import fc from "../helpers/fc.ts";

/** Returns which texts are asked about for an output in these pieces. */
function asked(...pieces: readonly string[]): string[] {
  const line = new FirstLine();
  return pieces.map((piece) => line.take(Buffer.from(piece))).filter((text) => text !== undefined);
}

describe("the first line of an output", () => {
  test("is asked about once it may be complete", () => {
    expect(asked('{"a', '":1', "}", "\n", "x}\n")).toEqual(['{"a":1}', '{"a":1}\n']);
  });

  test.each(["text\n{}\n", "[]\n", "}\n", "\n \n x {}"])("is ignored if it is not an object's: %j", (text) => {
    expect(asked(...text)).toEqual([]);
  });

  test("may have blank lines before it", () => {
    expect(asked("\n \n", "{}\n")).toEqual(["{}\n"]);
  });

  test("is searched up to a limit, in any number of pieces", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[{} x]{0,50}$/), { maxLength: 300 }), (pieces) => {
        const whole = pieces.join("");
        for (const text of asked(...pieces)) {
          expect(text.length).toBeLessThan(MAX_FIRST_LINE_BYTES);
          expect(whole.trimStart().startsWith(text)).toBe(true);
        }
      }),
    );
    expect(asked(`{${" ".repeat(MAX_FIRST_LINE_BYTES)}}`)).toEqual([]);
    expect(asked(`{${" ".repeat(MAX_FIRST_LINE_BYTES - 2)}}`)).toEqual([]);
    const longest = `{${" ".repeat(MAX_FIRST_LINE_BYTES - 3)}}`;
    expect(asked(longest, "\n", "{}\n")).toEqual([longest, `${longest}\n`]);
  });
});

test.each([
  ["{}\nrest\nmore", "rest\nmore"],
  ["{}", ""],
  ["\n\n{}\r\nrest", "rest"],
  ["", ""],
])("the output after the first line of %j is %j", (output, rest) => {
  expect(afterFirstLine(output)).toBe(rest);
});
