import picomatch from "picomatch";
import { describe, expect, test } from "vitest";
import { compileGlob } from "../../../src/matcher/condition/path/glob.ts";
import fc from "../../helpers/fc.ts";

const part = fc.string({ unit: fc.constantFrom("a", "b", ".", "*", "?"), minLength: 1, maxLength: 4 });
const patterns = fc
  .array(fc.oneof(part, fc.constant("**")), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"))
  // The library sometimes lets a run of stars within a name cross folders, and removes dots.
  .filter((pattern) => !/\*\*[^/]|[^/]\*\*|(^|\/)\.\.?(\/|$)|\.[*?]|\?\*|\*\?|\?\./.test(pattern));
const paths = fc
  .array(fc.stringMatching(/^[ab][ab.]{0,3}$/), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"));

function matches(pattern: string, path: string): boolean {
  const compiled = compileGlob(pattern);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.glob.matches(path);
}

describe("a path pattern", () => {
  test("matches the same as a library for such patterns", () => {
    fc.assert(
      fc.property(patterns, paths, (pattern, path) => {
        // For the library, `a/**` is also `a`.
        if (picomatch(pattern, { dot: true, strictSlashes: true })(path) === matches(pattern, path)) return;
        expect(pattern.endsWith("/**") && matches(pattern, `${path}/x`)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  test("with braces matches what any of its alternatives matches", () => {
    fc.assert(
      fc.property(part, part, part, paths, (before, one, other, path) => {
        const either = matches(`${before}${one}`, path) || matches(`${before}${other}`, path);
        expect(matches(`${before}{${one},${other}}`, path)).toBe(either);
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
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."ab*?[]{},/\\.!^-()~") }), paths, (pattern, path) => {
        const compiled = compileGlob(pattern);
        if (compiled.ok) expect(compiled.glob.contains(path)).toBeTypeOf("boolean");
        else expect(compiled.message).not.toBe("");
      }),
      { numRuns: 1_000 },
    );
  });
});
