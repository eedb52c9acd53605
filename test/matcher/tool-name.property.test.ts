import { expect, test } from "vitest";
import { compileMatcher, matches } from "../../src/matcher/tool-name.ts";
import { codePoint } from "../helpers/code-point.ts";
import fc from "../helpers/fc.ts";

const style = fc.constantFrom("wide" as const, "narrow" as const);
const anyText = fc.oneof(
  fc.string({ unit: codePoint }),
  // Contains many characters of regular expressions.
  fc.string({ unit: fc.constantFrom(..."aB_-|, .*+?()[]{}^$\\123dwsbpLQE:<>=!\n\ud83d\udca9") }),
);

test("compiling and matching never throw, whatever the matcher and the name are", () => {
  fc.assert(
    fc.property(anyText, anyText, style, (source, subject, kind) => {
      const compiled = compileMatcher(source, kind);
      if (compiled.ok) expect(typeof matches(compiled.matcher, subject)).toBe("boolean");
      else expect(compiled.message).not.toBe("");
    }),
    { numRuns: 2_000 },
  );
});

test("a matcher of plain characters with a name in it is never refused", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9_\-|, ]{0,20}$/), (source) => {
      fc.pre(/[A-Za-z0-9_-]/.test(source));
      expect(compileMatcher(source, "wide").ok).toBe(true);
    }),
  );
});

const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,6}( [A-Za-z0-9_-]{1,3})?$/);
const separator = fc.constantFrom("|", ",", ", ", " | ", " ,  ");

test("a list matches the names that it lists, and no other", () => {
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), separator, name, (names, between, other) => {
      const compiled = compileMatcher(names.join(between), "wide");
      if (!compiled.ok) throw new Error(compiled.message);
      for (const subject of [...names, other, `${names[0]}x`])
        expect(matches(compiled.matcher, subject)).toBe(names.includes(subject));
    }),
  );
});

const atom = fc.constantFrom(
  ...["a", "B", "x", "_", "-", ":", "\\.", "\\/", ".", "[a-z]", "[^_x]", "[\\w:]", "\\d", "\\w", "\\W", "\\s", "\\S"],
);
const { pattern } = fc.letrec<{ pattern: string; piece: string; group: string }>((tie) => ({
  pattern: fc.array(tie("piece"), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("")),
  piece: fc.oneof(
    { depthSize: "small" },
    atom,
    fc.constantFrom("^", "$", "\\b", "\\B"),
    fc
      .tuple(fc.oneof(atom, tie("group")), fc.constantFrom("*", "+", "?", "*?", "{2}", "{0,3}"))
      .map((parts) => parts.join("")),
    tie("group"),
  ),
  group: fc.array(tie("pattern"), { minLength: 1, maxLength: 3 }).map((alternatives) => `(${alternatives.join("|")})`),
}));
const toolName = fc.string({ unit: fc.constantFrom(..."aBx_-:./ 1\t"), maxLength: 12 });

test("the linear-time engine finds the same in a name as JavaScript's own", () => {
  fc.assert(
    fc.property(pattern, fc.array(toolName, { minLength: 1, maxLength: 8 }), (source, subjects) => {
      // The group keeps the matcher from being a plain name.
      const compiled = compileMatcher(`(?:${source})`, "wide");
      if (!compiled.ok) throw new Error(compiled.message);
      const reference = new RegExp(`(?:${source})`);
      for (const subject of subjects) expect(matches(compiled.matcher, subject)).toBe(reference.test(subject));
    }),
    { numRuns: 1_000 },
  );
});
