import { describe, expect, test } from "vitest";
import { changedMeanings } from "../../../src/matcher/condition/path/changed-meaning.ts";
import { compileGlob } from "../../../src/matcher/condition/path/compile-glob.ts";
import { compileFilter } from "../../../src/matcher/filter.ts";

function matches(pattern: string, path: string): boolean {
  const compiled = compileGlob(pattern);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.glob.matches(path);
}

/** Patterns, a path, and whether the pattern matched the path before picomatch read patterns, and matches now. */
const CHANGED: readonly (readonly [pattern: string, path: string, before: boolean, now: boolean])[] = [
  ["app/(auth)/*.ts", "app/(auth)/a.ts", true, true],
  ["app/(auth)/*.ts", "app/auth/a.ts", false, true],
  ["(a|b)", "a", false, true],
  ["(a|b)", "(a|b)", true, true],
  ["[id].tsx", "[id].tsx", false, true],
  ["[id].tsx", "i.tsx", true, true],
  ["{1..3}", "2", false, true],
  ["{1..3}", "{1..3}", true, false],
  ["{src/,lib/}**", "src/a/b", true, false],
  ["a{**,z}c", "ab/c", false, true],
  ["[[:alpha:]]", "a", false, true],
  ["[[:alpha:]]", "a]", true, false],
  ["[a\\-]", "\\", true, false],
];

/** Patterns that mean what they meant, with the old way to write what changed. */
const KEPT: readonly (readonly [pattern: string, path: string, now: boolean])[] = [
  ["[!a-c]x", "bx", false],
  ["[!a-c]x", "dx", true],
  ["[^a]", "b", true],
  ["[]a]", "]", true],
  ["app/[(]auth[)]/*", "app/(auth)/a", true],
  ["app/[(]auth[)]/*", "app/auth/a", false],
  ["[{]1..3}", "{1..3}", true],
  ["\\{a,b\\}", "{a,b}", true],
  ["{i,d}.tsx", "[id].tsx", false],
  ["a|b", "a|b", true],
  ["a|b", "a", false],
  ['"a"', '"a"', true],
  ['"a"', "a", false],
  ["a\\db", "adb", true],
  ["a\\db", "a1b", false],
  ["a+", "aa", false],
  ["a.b", "axb", false],
  ["{../a,b}", "../a", true],
  ["{a..b,c}", "a..b", true],
  ["{{name}}", "{{name}}", true],
  ["***", "a/b", true],
  ["a/***/b", "a/x/y/b", true],
  ["/**/a", "/a", true],
  ["{**/.env,**/*.pem}", ".env", true],
  ["**/*", ".git/config", true],
  ["*", ".env", true],
  ["**", "a/.b/c", true],
  ["a)", "a)", true],
  ["a(b", "a(b", true],
  ["a]", "a]", true],
  ["+1", "+1", true],
  ["a?c", "a\u{1f600}c", true],
  ["a[+-9]b", "a/b", false],
  ["A", "a", false],
];

describe("a path pattern with another meaning than before", () => {
  test.each(CHANGED)("%s on %s: %s before, %s now", (pattern, path, _, now) => {
    expect(matches(pattern, path)).toBe(now);
    expect(changedMeanings(pattern).length).toBeGreaterThan(0);
  });

  test("is reported with the part, both meanings and the way to write the old one", () => {
    expect(changedMeanings("app/(auth)/**")).toEqual([
      {
        message:
          '"(auth)" in the path pattern "app/(auth)/**" meant this text; it now means this text and a group of alternatives',
        hint: "write [(] and [)] for the text alone",
      },
    ]);
  });

  test.each(["!a", "!(a)", "!!a"])("is refused if it is the negation %s", (pattern) => {
    expect(compileFilter({ paths: [pattern] })).toMatchObject({ ok: false, hint: expect.stringContaining("\\!") });
  });

  test.each([
    ["a!(b)", "negation"],
    ["{a,b", "a { is not closed"],
    ["@(a|b", "a parenthesis is not closed"],
    ["[a", "a [ is not closed"],
    ["[b-a]", "no set"],
    ["{1..10}", "not of two characters"],
    ["(?:a)", "next to a parenthesis"],
    ["(?!a)b", "next to a parenthesis"],
    ["@(a)?b", "next to a parenthesis"],
    ["{a,b}".repeat(65), "more than 64"],
    ["a".repeat(501), "501 characters"],
  ])("is refused if hookbox cannot run it: %s", (pattern, message) => {
    expect(compileGlob(pattern)).toMatchObject({ ok: false, message: expect.stringContaining(message) });
  });
});

describe("a path pattern with the same meaning as before", () => {
  test.each(KEPT)("%s on %s: %s", (pattern, path, now) => {
    expect(matches(pattern, path)).toBe(now);
    expect(changedMeanings(pattern)).toEqual([]);
  });
});

describe("a group of picomatch", () => {
  test.each([
    ["@(a|b).ts", "b.ts", true],
    ["@(a|b).ts", ".ts", false],
    ["?(a)b", "b", true],
    ["+(ab)c", "ababc", true],
    ["+(ab)c", "c", false],
    ["*(a|b/)c", "ab/ac", true],
    ["src/@(a|b)/**", "src/b/x/y", true],
    ["+(a|aa)b", "aaab", true],
  ])("%s on %s: %s", (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
    expect(changedMeanings(pattern)).toEqual([]);
  });
});
