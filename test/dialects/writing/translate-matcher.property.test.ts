import { expect, test } from "vitest";
import { dialectNamed } from "../../../src/dialects/registry.ts";
import { translateMatcher } from "../../../src/dialects/translate-matcher.ts";
import { contractOf } from "../../../src/events/lookup.ts";
import { compileMatcher, matches } from "../../../src/matcher/tool-name.ts";
import type { Rule } from "../../../src/rule.ts";
import fc from "../../helpers/fc.ts";

/** The five styles, each with an agent that writes its matchers in this style. */
const STYLES = { "claude-code": "wide", "docker-agent": "anchored", autohand: "unanchored", agentao: "glob" } as const;
const DIALECTS = Object.keys(STYLES) as (keyof typeof STYLES)[];

// Names that are no agent's own names.
const word = fc.stringMatching(/^[abx_]{1,4}$/);
const expression = fc
  .array(fc.oneof(word, fc.constantFrom(".*", "|", "a?", "[ab]", "(a|b)", "^", "$", "x+", "b{2}")), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(""));
const matcher = fc.oneof(
  word,
  fc.array(word, { minLength: 2, maxLength: 3 }).map((names) => names.join("|")),
  expression,
  expression.map((text) => `^${text}$`),
  fc.stringMatching(/^[abx*?]{1,4}$/),
);

const styleOf = (dialect: string) => contractOf("PreToolUse", dialect)?.matcherStyle ?? "wide";

function fitting(texts: readonly (string | undefined)[], dialect: string, names: readonly string[]): string[] {
  const matchers = texts.map((text) => {
    const compiled = compileMatcher(text, styleOf(dialect));
    if (!compiled.ok) throw new Error(`${dialect} cannot read ${text}: ${compiled.message}`);
    return compiled.matcher;
  });
  return names.filter((name) => matchers.some((one) => matches(one, name)));
}

test("knows the style of each agent", () => {
  for (const dialect of DIALECTS) expect(styleOf(dialect)).toBe(STYLES[dialect]);
});

const PAIRS = DIALECTS.flatMap((from) => DIALECTS.filter((to) => to !== from).map((to) => [from, to] as const));

test.each(PAIRS)("makes a matcher of %s match the same names in the format of %s", (from, to) => {
  fc.assert(
    fc.property(matcher, fc.array(word, { minLength: 20, maxLength: 20 }), (text, names) => {
      fc.pre(compileMatcher(text, styleOf(from)).ok);
      const [source, target] = [dialectNamed(from), dialectNamed(to)];
      if (source === undefined || target === undefined) throw new Error("no such dialect");
      const rule = { event: "PreToolUse", matcher: text, dialect: from, codec: source.codec } as Rule;
      for (const oneNameEach of [false, true]) {
        const language = { dialect: to, codec: target.codec, toolNames: "own", oneNameEach } as const;
        const { matchers } = translateMatcher(rule, language);
        expect(fitting(matchers, to, names)).toEqual(fitting([text], from, names));
      }
    }),
    { numRuns: 40 },
  );
});
