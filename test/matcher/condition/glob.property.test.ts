import picomatch from "picomatch";
import { describe, expect, test } from "vitest";
import { compileGlob } from "../../../src/matcher/condition/path/glob.ts";
import fc from "../../helpers/fc.ts";

const part = fc.string({ unit: fc.constantFrom("a", "b", ".", "*", "?"), minLength: 1, maxLength: 4 });
const patterns = fc
  .array(fc.oneof(part, fc.constant("**")), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"))
  // The library takes a run of stars within a name for one that crosses folders at times, and dots for detours.
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
  test("matches what a library for such patterns matches", () => {
    fc.assert(
      fc.property(patterns, paths, (pattern, path) => {
        // `a/**` is also `a` for the library.
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

  test("contains what lies in what it matches, and reaches into every folder above that", () => {
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

  test("of any text is refused or can be used", () => {
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
