import { describe, expect, test } from "vitest";
import type { HookEvent } from "../../src/event.ts";
import { RuleIndex } from "../../src/matcher/rule-index.ts";
import { MatchingBudget } from "../../src/matcher/steps.ts";
import { MAX_UNFOLDED, unfoldedSize } from "../../src/matcher/unfolded-size.ts";
import type { Rule } from "../../src/rule.ts";
import { bashEvent, makeEvent, makeRule } from "../helpers/rules.ts";

const PATH = `/home/me/${"ab/".repeat(1_300)}`;
const costly = {
  name: "a".repeat(2_000),
  text: `${"sudo nice env timeout 5 a b c d; ".repeat(1_985)}`,
};

/** Rules that do not match their event, each with so much work that a hundred of them exceed the steps of a side. */
const COSTLY: readonly (readonly [what: string, parts: Partial<Rule>, event: HookEvent])[] = [
  ["a matcher", { matcher: "(?:.*a){800}b" }, makeEvent("PreToolUse", { tool_name: costly.name, tool_input: {} })],
  ["a condition on a command", { condition: `Bash(*${"*a".repeat(480)}Q*)` }, bashEvent(costly.text)],
  [
    "a condition on a path",
    { condition: `Edit(${"**/*a*/".repeat(60)}zz)` },
    makeEvent("PreToolUse", { tool_name: "Edit", tool_input: { file_path: PATH } }),
  ],
  [
    "a condition on a text",
    { condition: `Skill(*${"a".repeat(900)}Q*)` },
    makeEvent("PreToolUse", { tool_name: "Skill", tool_input: { skill: "a".repeat(2_000_000) } }),
  ],
  [
    "a condition on an address",
    { condition: "WebFetch(domain:example.org)" },
    makeEvent("PreToolUse", { tool_name: "WebFetch", tool_input: { url: `https://a/${"b".repeat(100_000)}` } }),
  ],
  [
    "a filter",
    { filter: { paths: [`${"**/*a*/".repeat(60)}zz`] } },
    makeEvent("PreToolUse", { tool_name: "Write", tool_input: { file_path: PATH } }),
  ],
];

const many = (layer: Rule["layer"], parts: Partial<Rule>): Rule[] =>
  Array.from({ length: 100 }, (_, at) => makeRule({ ...parts, id: `${layer}${at}`, name: `${layer}${at}`, layer }));

/** Steps for one rule and not quite for a second one. */
function stepsForOne(parts: Partial<Rule>, event: HookEvent): number {
  const index = new RuleIndex([makeRule({ ...parts, layer: "user" })]);
  let enough = 1;
  while (index.select({ ...event }, new MatchingBudget({ own: enough, project: 0 })).length > 0) enough *= 2;
  return enough;
}

describe.each(COSTLY)("%s that takes more steps than are left", (_, parts, event) => {
  test("leaves its rule in doubt, and a rule in doubt runs", () => {
    const index = new RuleIndex([makeRule({ ...parts, layer: "project" })]);
    expect(index.select({ ...event }, new MatchingBudget({ own: 0, project: 1 }))).toHaveLength(1);
    expect(index.select({ ...event }, new MatchingBudget({ own: 0, project: 1e12 }))).toHaveLength(0);
  });

  test("takes no steps from the rules of the other side", () => {
    const own = stepsForOne(parts, event);
    const index = new RuleIndex([...many("project", parts), makeRule({ ...parts, name: "user's", layer: "user" })]);
    const selected = index.select({ ...event }, new MatchingBudget({ own, project: own }));
    const names = selected.map(({ name }) => name);
    expect(names).not.toContain("user's");
    expect(names.length).toBeGreaterThan(90);
  });

  test("takes no steps from a more trusted rule of its own side", () => {
    const own = stepsForOne(parts, event);
    const managed = makeRule({ ...parts, name: "managed", layer: "managed", priority: -1 });
    const index = new RuleIndex([...many("user", parts), managed]);
    const names = index.select({ ...event }, new MatchingBudget({ own, project: 0 })).map(({ name }) => name);
    expect(names).not.toContain("managed");
    expect(names.length).toBeGreaterThan(90);
  });

  test("selects the same rules each time", () => {
    const steps = 3 * stepsForOne(parts, event);
    const index = new RuleIndex(many("project", parts));
    const select = (): readonly string[] =>
      index.select({ ...event }, new MatchingBudget({ own: 0, project: steps })).map(({ id }) => id);
    expect(select()).toEqual(select());
  });
});

test("a matcher that was in doubt is tested again at the next event", () => {
  const event = bashEvent("ls");
  const index = new RuleIndex([makeRule({ matcher: "^Edit.*" })]);
  expect(index.select({ ...event }, new MatchingBudget({ own: 0, project: 0 }))).toHaveLength(1);
  expect(index.select({ ...event })).toHaveLength(0);
});

test("a rule that takes few steps is still judged after one that takes too many", () => {
  const event = bashEvent(costly.text);
  const cheap = makeRule({ name: "cheap", condition: "Bash(git push *)" });
  const index = new RuleIndex([makeRule({ name: "dear", condition: `Bash(*${"*a".repeat(480)}Q*)` }), cheap]);
  const names = index.select(event, new MatchingBudget({ own: 0, project: 10_000 })).map(({ name }) => name);
  expect(names).toEqual(["dear"]);
});

describe("large harmless configurations stay within the steps", () => {
  const lines = (of: (at: number) => string): string =>
    Array.from({ length: 2_000 }, (_, at) => of(at))
      .join("\n")
      .slice(0, 65_536);
  const commands = [
    lines((at) => `git add src/file${at}.ts`),
    lines((at) => `sudo timeout ${at} npm run build${at} --force`),
    `cat > f <<'E'\n${"some text of a file\n".repeat(3_200)}E\ngit fetch`,
  ].map(bashEvent);
  const file_path = "/home/me/project/packages/app/src/components/forms/input/TextField.tsx";
  const edit = makeEvent("PreToolUse", { tool_name: "Edit", tool_input: { file_path }, cwd: "/home/me/project" });
  const mcp = makeEvent("PreToolUse", {
    tool_name: "mcp__server_of_somebody__read_all_of_the_database",
    tool_input: {},
  });
  const fetch = makeEvent("PreToolUse", {
    tool_name: "WebFetch",
    tool_input: { url: "https://docs.example.org/a/long/path/to/somewhere?query=of+the+page&more=1" },
  });
  const words = ["git push", "rm -rf", "npm publish", "docker run", "kubectl delete", "terraform apply"];

  test.each<[string, (at: number) => Partial<Rule>, readonly HookEvent[]]>([
    ["conditions on commands", (at) => ({ condition: `Bash(${words[at % 6]} x${at} *)` }), commands],
    ["conditions on paths", (at) => ({ condition: `Edit(src/module${at}/**/*.{ts,tsx})` }), [edit]],
    ["filters", (at) => ({ filter: { paths: [`packages/p${at}/src/**`, `**/p${at}/*.md`] } }), [edit]],
    ["matchers", (at) => ({ matcher: `mcp__server${at}__(read|write)_.*` }), [mcp]],
    ["conditions on hosts", (at) => ({ condition: `WebFetch(domain:host${at}.example.com)` }), [fetch]],
  ])("with 10,000 %s of the user and 1,000 of a project", (_, of, events) => {
    const rules = (layer: Rule["layer"], length: number): Rule[] =>
      Array.from({ length }, (_, at) => makeRule({ ...of(at), id: `${layer}${at}`, layer }));
    const index = new RuleIndex([...rules("user", 10_000), ...rules("project", 1_000)]);
    for (const event of events) expect(index.select(event)).toEqual([]);
  });
});

describe("the size of an expanded pattern is computed without compiling it", () => {
  test.each([
    ["abc", 3],
    ["a{100}", 100],
    ["a{2,50}b", 51],
    ["(?:ab){10}", 60],
    ["(a{10}){10}", 120],
    ["[a-z]{20}", 20],
    ["[]{5}]{20}", 20],
    ["\\p{L}{20}", 20],
    ["\\{5}", 3],
    ["a{,5}", 5],
  ])("%s: about %i", (pattern, size) => {
    expect(unfoldedSize(pattern)).toBeGreaterThanOrEqual(size * 0.9);
    expect(unfoldedSize(pattern)).toBeLessThanOrEqual(size * 1.5);
  });

  test("and is over the limit for a long sequence of repetitions", () => {
    expect(unfoldedSize("a{1000}".repeat(285))).toBeGreaterThan(MAX_UNFOLDED);
  });
});
