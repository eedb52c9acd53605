import { expect, test } from "vitest";
import type { HookEvent } from "../../src/event.ts";
import type { JsonObject } from "../../src/json.ts";
import { RuleIndex } from "../../src/matcher/rule-index.ts";
import type { Rule } from "../../src/rule.ts";
import fc from "../helpers/fc.ts";
import { makeEvent, makeRule } from "../helpers/rules.ts";

/** The fields with the subjects of this test's events. */
const SUBJECTS: Readonly<Record<string, string | undefined>> = {
  PreToolUse: "tool_name",
  PostToolUse: "tool_name",
  FileChanged: "file_path",
  StopFailure: "error",
  Stop: undefined,
};
const EVENTS = Object.keys(SUBJECTS);
const NAMES = ["Bash", "BashOutput", "Edit", "Write", "NotebookEdit", "mcp__memory__read", "a-b", ""];
const MATCHERS = [
  undefined,
  "",
  "*",
  "Bash",
  "Edit|Write",
  "Edit, Write",
  "a-b",
  "Edit.*",
  "^Bash$",
  "mcp__memory",
  "mcp__memory__.*",
  "^(Edit|Write)$",
];

const rule = fc
  .record({
    event: fc.constantFrom(...EVENTS, "*"),
    matcher: fc.constantFrom(...MATCHERS),
    priority: fc.integer({ min: -2, max: 2 }),
  })
  .map(({ event, matcher, priority }) => makeRule({ event, priority, matcher: event === "*" ? undefined : matcher }));

const event = fc
  .record({
    name: fc.constantFrom(...EVENTS, "SessionEnd"),
    subject: fc.oneof(fc.constantFrom(...NAMES), fc.constant(undefined), fc.integer(), fc.string()),
  })
  .map(({ name, subject }) => {
    const field = SUBJECTS[name];
    const payload: JsonObject = field === undefined || subject === undefined ? {} : { [field]: subject };
    return makeEvent(name, payload);
  });

/** The reference's rules, one after another, with JavaScript's own engine. */
function applies({ event, matcher }: Rule, asked: HookEvent): boolean {
  if (event === "*") return true;
  if (event !== asked.name) return false;
  const field = SUBJECTS[event];
  const value = field === undefined ? undefined : asked.payload[field];
  if (typeof value !== "string" || matcher === undefined || matcher === "" || matcher === "*") return true;
  const subject = event === "FileChanged" ? (value.split(/[/\\]/).at(-1) ?? "") : value;
  const narrow = event === "FileChanged" || event === "StopFailure";
  if (narrow ? /^[A-Za-z0-9_|]+$/.test(matcher) : /^[A-Za-z0-9_\- ,|]+$/.test(matcher))
    return matcher
      .split(narrow ? "|" : /[|,]/)
      .map((name) => name.trim())
      .includes(subject);
  return new RegExp(matcher).test(subject);
}

test("an index selects what a filter over all rules would, in verdict order, however often it is asked", () => {
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 30 }),
      fc.array(event, { minLength: 1, maxLength: 20 }),
      (rules, events) => {
        const index = new RuleIndex(rules);
        const ordered = rules
          .map((rule, position) => ({ rule, position }))
          .sort((a, b) => b.rule.priority - a.rule.priority || a.position - b.position)
          .map((entry) => entry.rule);
        for (const asked of [...events, ...events]) {
          const selected = index.select(asked);
          const expected = ordered.filter((rule) => applies(rule, asked));
          expect(selected.map((rule) => rules.indexOf(rule))).toEqual(expected.map((rule) => rules.indexOf(rule)));
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("selecting never throws, whatever the subject is", () => {
  const index = new RuleIndex(MATCHERS.map((matcher) => makeRule({ matcher })));
  fc.assert(
    fc.property(fc.jsonValue(), (subject) => {
      const selected = index.select(makeEvent("PreToolUse", { tool_name: subject as JsonObject }));
      // The three that match everything are always selected.
      expect(selected.length).toBeGreaterThanOrEqual(3);
    }),
  );
});
