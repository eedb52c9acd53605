import { describe, expect, test } from "vitest";
import { compileMatcher, matches } from "../../src/matcher/tool-name.ts";

function matchMs(source: string, subject: string): number {
  const compiled = compileMatcher(source, "wide");
  const started = performance.now();
  // A refused pattern cannot block anything.
  if (compiled.ok) matches(compiled.matcher, subject);
  return performance.now() - started;
}

const best = (source: string, subject: string): number => Math.min(...[1, 2, 3].map(() => matchMs(source, subject)));

describe("patterns that no linear-time engine can run", () => {
  test.each([
    ["a look-ahead", "^(?=Bash).*$"],
    ["a negative look-ahead", "^(?!Read).*$"],
    ["a look-behind", "(?<=mcp__)memory"],
    ["a negative look-behind", "(?<!mcp__)memory"],
    ["a back-reference", "^(.+)__\\1$"],
    ["a named back-reference", "^(?<part>.+)__\\k<part>$"],
  ])("%s is refused with the pattern in the message", (_what, source) => {
    const compiled = compileMatcher(source, "wide");
    expect(compiled).toMatchObject({ ok: false });
    expect(compiled).toHaveProperty("message", expect.stringContaining(source));
    expect(compiled).toHaveProperty("message", expect.stringMatching(/linear time/));
  });

  test("a pattern of more than 2,000 characters is refused with both numbers", () => {
    expect(compileMatcher(`^${"a".repeat(2_000)}`, "wide")).toEqual({
      ok: false,
      message: "matcher pattern is 2001 characters long; the limit is 2000",
    });
    expect(compileMatcher(`^${"a".repeat(1_999)}`, "wide")).toMatchObject({ ok: true });
  });

  test("repetitions that would expand into a huge program are refused", () => {
    for (const source of ["a{1001}.", "(a{1000}){1000}", "((a{100}){100}){100}"])
      expect(compileMatcher(source, "wide")).toMatchObject({ ok: false });
  });
});

describe("invalid patterns", () => {
  test.each(["(", "[a-", "*Bash", "+", "a)", "[z-a]", "Bash("])("are refused: %j", (source) => {
    expect(compileMatcher(source, "wide")).toMatchObject({ ok: false });
    expect(() => new RegExp(source)).toThrow();
  });

  test("with a syntax error are reported as that, and not as too slow", () => {
    const compiled = compileMatcher("Bash(", "wide");
    expect(compiled).toHaveProperty("message", expect.stringContaining("missing closing )"));
    expect(compiled).toHaveProperty("message", expect.not.stringMatching(/linear time/));
  });
});

describe("patterns that are built to block a backtracking engine", () => {
  const subject = `${"a".repeat(20_000)}!`;

  test.each([
    "^(a+)+$",
    "^(a|a)*$",
    "^(a|aa)+$",
    "^(a*)*$",
    "^([a-z]+)*$",
    "^(.*a){20}$",
    "(x+x+)+y",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "^(\\w+\\s?)*$",
    "(a?){100}a{100}$",
  ])("take no more than a small multiple of a plain pattern's time: %j", (source) => {
    const plain = best("^a+$", subject);
    expect(best(source, subject)).toBeLessThan(Math.max(200 * plain, 500));
  });

  test("of short text with large repetitions are as harmless, on the longest name that is searched", () => {
    expect(matchMs(`${"[a-zA-Z]{0,900}".repeat(3)}[0-9]`, "aB".repeat(30_000))).toBeLessThan(10_000);
  });

  test("match a subject that is too long to be searched, so that the hook runs", () => {
    const compiled = compileMatcher("^x$", "wide");
    expect(compiled.ok && matches(compiled.matcher, "y".repeat(1_000_000))).toBe(true);
  });

  test("do not prevent a long subject from being compared with names", () => {
    const compiled = compileMatcher("Bash", "wide");
    expect(compiled.ok && matches(compiled.matcher, "y".repeat(1_000_000))).toBe(false);
  });
});
