import picomatch from "picomatch";
import { describe, expect, test } from "vitest";
import { compileGlob } from "../../../src/matcher/condition/path/compile-glob.ts";
import { PICOMATCH_OPTIONS, prepared, withPlainParentheses } from "../../../src/matcher/condition/path/glob-program.ts";
import fc from "../../helpers/fc.ts";

function matches(pattern: string, path: string): boolean {
  const compiled = compileGlob(pattern);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.glob.matches(path);
}

/** Answers with the expression that picomatch itself makes of a pattern. */
function byPicomatch(pattern: string, path: string): boolean {
  const readings = /[()]/.test(pattern) ? [pattern, withPlainParentheses(pattern)] : [pattern];
  return readings.some((one) => {
    const state = (picomatch.parse as (text: string, options: object) => ReturnType<typeof picomatch.parse>)(
      prepared(one),
      PICOMATCH_OPTIONS,
    );
    return picomatch.compileRe(state as never, { ...PICOMATCH_OPTIONS, debug: true }).test(path);
  });
}

// Not generated, because picomatch makes a wrong or no expression of it: a `.` next to a range or a class, a `**` inside
// a group, a group that is a whole name and may be empty, a `.` before a star in a group.
const plain = [
  "a",
  "b",
  "-",
  "+",
  "!",
  "$",
  "^",
  "@",
  "]",
  "}",
  ",",
  "\\*",
  "\\(",
  "?",
  "*",
  "[ab]",
  "[a-b]",
  "[!a]",
  "[^b]",
];
const letters = fc.array(fc.constantFrom(...plain), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));
const { name } = fc.letrec<{ name: string; group: string }>((tie) => ({
  name: fc
    .tuple(
      fc.constantFrom("a", "b", "?", "[ab]", "{a..b}", "[[:alpha:]]"),
      fc.array(fc.oneof(letters, tie("group")), { maxLength: 3 }),
    )
    .map(([first, rest]) => first + rest.join("")),
  group: fc
    .tuple(fc.constantFrom("@(", "+(", "*(", "?(", "(", "{"), fc.array(tie("name"), { minLength: 2, maxLength: 3 }))
    .map(([open, choices]) => (open === "{" ? `{${choices.join(",")}}` : `${open}${choices.join("|")})`)),
}));
const folders = fc
  .array(fc.oneof({ weight: 3, arbitrary: name }, fc.constant("**")), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"));
const dotted = fc
  .array(fc.constantFrom("a", "b.b", ".a", "*.b", "*", "a*", "?", "**", "[ab].b", "{a,.b}"), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join("/"));
const patterns = fc.oneof(folders, dotted);
const paths = fc
  .array(
    fc.stringMatching(/^[ab\-+!$@.,^\](]{1,3}$/).filter((part) => !/^\.\.?$/.test(part)),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join("/"));

describe("a path pattern", () => {
  test("matches the same as the expression of picomatch", () => {
    fc.assert(
      fc.property(patterns, fc.array(paths, { minLength: 4, maxLength: 4 }), (pattern, some) => {
        const compiled = compileGlob(pattern);
        // Only `(?` and `)?` are refused, and patterns with too many characters or groups.
        if (!compiled.ok) expect(pattern.length > 100 || /[()]\?/.test(pattern)).toBe(true);
        else for (const path of some) expect(compiled.glob.matches(path)).toBe(byPicomatch(pattern, path));
      }),
      { numRuns: 5_000 },
    );
  });

  test("with braces matches what any of its alternatives matches", () => {
    const part = fc.constantFrom("a", "b", "?", ".a", "**/a", "a/**", "*b", "[ab]", "");
    fc.assert(
      fc.property(part, part, paths, (one, other, path) => {
        const either = matches(`a/${one}`, path) || matches(`a/${other}`, path);
        expect(matches(`a/{${one},${other}}`, path)).toBe(either);
      }),
      { numRuns: 1_000 },
    );
  });

  test("contains what is in what it matches, and reaches into every parent folder", () => {
    fc.assert(
      fc.property(patterns, paths, paths, (pattern, path, below) => {
        const compiled = compileGlob(pattern);
        if (!compiled.ok || !compiled.glob.matches(path)) return;
        expect(compiled.glob.contains(path)).toBe(true);
        expect(compiled.glob.contains(`${path}/${below}`)).toBe(true);
        const parts = path.split("/");
        for (let end = 1; end < parts.length; end++)
          expect(compiled.glob.reachesInto(parts.slice(0, end).join("/"))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("of any text is refused or usable", () => {
    const units = [...'ab*?[]{}|,/\\.!^-+@()~":', "\\\\", "[:", ":]", "[[:alpha:", "**", "..", "!(", "(?"];
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...units) }), paths, (pattern, path) => {
        const compiled = compileGlob(pattern);
        if (compiled.ok) expect(compiled.glob.contains(path)).toBeTypeOf("boolean");
        else expect(compiled.message).not.toBe("");
      }),
      { numRuns: 2_000 },
    );
  });

  // picomatch itself reads these for ever.
  test.each(["\\".repeat(4), "a\\\\\\\\", "[\\][:alpha:", "\\".repeat(499)])(
    "with the end of %j is read",
    (pattern) => {
      expect(compileGlob(pattern)).toHaveProperty("ok");
    },
  );
});
