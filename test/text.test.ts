import { describe, expect, test } from "vitest";
import { cleanLine, cleanText, MAX_TEXT_LENGTH } from "../src/text.ts";
import { codePoint } from "./helpers/code-point.ts";
import fc from "./helpers/fc.ts";

const LONE_SURROGATE = /\p{Surrogate}/u;

describe("cleanText", () => {
  test("keeps ordinary text of any script unchanged, with tabs and line ends", () => {
    const text = "Größe\t日本語\nعربي 👩🏽‍🚒".replaceAll("\u200d", "");
    expect(cleanText(text)).toBe(text);
  });

  test.each([
    ["an escape sequence", "\u001b[31mred\u001b[0m", "[31mred[0m"],
    ["a title change", "\u001b]0;owned\u0007", "]0;owned"],
    ["an eight-bit control", "a\u009b2Jb", "a2Jb"],
    ["a null", "a\u0000b", "ab"],
    ["a backspace", "rm\b\bls", "rmls"],
    ["delete", "a\u007fb", "ab"],
    ["a vertical tab and a form feed", "a\u000b\u000cb", "ab"],
    ["a right-to-left override", "\u202etxt.exe\u202c", "txt.exe"],
    ["an isolate", "\u2066a\u2069", "a"],
    ["direction marks", "a\u200e\u200fb", "ab"],
    ["zero-width characters", "a\u200b\u200c\u200d\u2060\ufeffb", "ab"],
    ["other line separators", "a\u2028b\u2029c", "abc"],
    ["the Arabic letter mark", "a\u061cb", "ab"],
    ["tag characters", `a${String.fromCodePoint(0xe0068, 0xe0069)}b`, "ab"],
  ])("takes out %s", (_what, text, cleaned) => {
    expect(cleanText(text)).toBe(cleaned);
  });

  test.each(["a\r\nb", "a\rb"])("turns %j into one line end", (text) => {
    expect(cleanText(text)).toBe("a\nb");
  });

  test("cuts at the limit and says how many characters are missing", () => {
    expect(cleanText("abcdef", 4)).toBe("abcd… [2 more characters]");
    expect(cleanText("abcd", 4)).toBe("abcd");
    expect(cleanText("x".repeat(MAX_TEXT_LENGTH))).toHaveLength(MAX_TEXT_LENGTH);
    expect(cleanText("x".repeat(MAX_TEXT_LENGTH + 1))).toMatch(/x… \[1 more characters\]$/);
  });

  test("counts characters after cleaning, so that invisible characters cannot push text behind the cut", () => {
    expect(cleanText(`${"\u200b".repeat(100)}abcd`, 4)).toBe("abcd");
  });

  test("never cuts between the halves of a character", () => {
    expect(cleanText("abc😀def", 4)).toBe("abc… [5 more characters]");
    expect(cleanText("abc😀def", 5)).toBe("abc😀… [3 more characters]");
  });

  test("leaves no control sequence for a terminal, and at most the limit, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.integer({ min: 1, max: 20 }), (text, limit) => {
        const cleaned = cleanText(text, limit);
        expect(cleaned).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
        expect(cleaned.length).toBeLessThanOrEqual(limit + "… [99999 more characters]".length);
        if (!LONE_SURROGATE.test(text)) expect(cleaned).not.toMatch(LONE_SURROGATE);
      }),
      { numRuns: 1_000 },
    );
  });

  test("changes nothing on a second pass, if nothing was cut", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        const once = cleanText(text);
        expect(cleanText(once)).toBe(once);
      }),
    );
  });
});

describe("cleanLine", () => {
  test.each([
    ["  a \n\t b  ", "a b"],
    ["a\r\nb", "a b"],
    ["a\u2028b", "a b"],
    ["a\u0085b", "ab"],
    ["\u001b[2Ja", "[2Ja"],
    ["", ""],
    [" \n ", ""],
  ])("turns %j into one line", (text, line) => {
    expect(cleanLine(text)).toBe(line);
  });

  test("cuts as cleanText does", () => {
    expect(cleanLine("a b c d", 3)).toBe("a b… [4 more characters]");
  });

  test("is one line for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        expect(cleanLine(text)).not.toMatch(/[\n\r\t\u000b\u000c\u0085\u2028\u2029]/);
      }),
      { examples: [["a\nb\r\nc\u2028d\u0085e\u000bf"]] },
    );
  });
});
