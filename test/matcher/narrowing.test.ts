import { describe, expect, test } from "vitest";
import type { HookEvent } from "../../src/event.ts";
import { RuleIndex } from "../../src/matcher/rule-index.ts";
import type { Rule } from "../../src/rule.ts";
import { bashEvent, makeEvent, makeRule } from "../helpers/rules.ts";

const select = (rules: readonly Rule[], event: HookEvent): string[] =>
  new RuleIndex(rules).select(event).map((rule) => rule.name);

describe("conditions and filters among other rules", () => {
  test("are tested for each event, however often the tool occurred before", () => {
    const index = new RuleIndex([
      makeRule({ name: "all" }),
      makeRule({ name: "rm", matcher: "Bash", condition: "Bash(rm *)" }),
      makeRule({ name: "git", condition: "Bash(git *)" }),
      makeRule({ name: "edit", condition: "Edit(src/**)" }),
      makeRule({ name: "filtered", filter: { tools: ["Bash"] } }),
    ]);
    const names = (command: string): string[] => index.select(bashEvent(command)).map((rule) => rule.name);
    expect(names("ls")).toEqual(["all", "filtered"]);
    expect(names("rm x")).toEqual(["all", "rm", "filtered"]);
    expect(names("git x && rm y")).toEqual(["all", "rm", "git", "filtered"]);
    expect(names("ls")).toEqual(["all", "filtered"]);
  });

  test("do not change cached selections of other rules", () => {
    const index = new RuleIndex([makeRule({ name: "all" })]);
    expect(index.select(bashEvent("a"))).toBe(index.select(bashEvent("b")));
  });

  test("must both match", () => {
    const rule = makeRule({ condition: "Edit(src/**)", filter: { tools: ["Write"] } });
    const call = (tool: string, file_path: string): HookEvent =>
      makeEvent("PreToolUse", { tool_name: tool, tool_input: { file_path }, cwd: "/p" });
    expect(select([rule], call("Write", "src/a"))).toEqual(["rule"]);
    expect(select([rule], call("Write", "lib/a"))).toEqual([]);
    expect(select([rule], call("Edit", "src/a"))).toEqual([]);
  });

  test("never match an event without a tool", () => {
    const rules = ["Stop", "UserPromptSubmit", "FileChanged", "SessionStart"].map((event) =>
      makeRule({ name: event, event, condition: "Bash" }),
    );
    for (const { event } of rules)
      expect(select(rules, makeEvent(event, { tool_name: "Bash", prompt: "x" }))).toEqual([]);
  });

  test.each(["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"])(
    "have an effect at %s",
    (name) => {
      const rule = makeRule({ event: name, condition: "Bash(rm *)" });
      const event = (command: string): HookEvent => makeEvent(name, { tool_name: "Bash", tool_input: { command } });
      expect(select([rule], event("rm x"))).toEqual(["rule"]);
      expect(select([rule], event("ls"))).toEqual([]);
    },
  );

  test("throw if they were not validated", () => {
    expect(() => new RuleIndex([makeRule({ condition: "Bash(" })])).toThrow('does not end with ")"');
    expect(() => new RuleIndex([makeRule({ filter: { paths: ["[a"] } })])).toThrow("a [ is not closed");
  });
});

test.each([
  [
    { condition: "Bash(rm *)" },
    "ls",
    'no matcher: applies always; condition "Bash(rm *)" does not match the command in "ls"',
  ],
  [
    { condition: "Bash(rm *)" },
    "ls; rm x",
    'no matcher: applies always; condition "Bash(rm *)" matches the command "rm x"',
  ],
  [
    { condition: "Edit(x)" },
    "ls",
    'no matcher: applies always; condition "Edit(x)" is for the tool "Edit", not "Bash"',
  ],
  [{ condition: "Edit(x)", matcher: "Edit" }, "ls", 'tool_name "Bash" does not match "Edit" (exact)'],
  [{ filter: { tools: ["Edit"] } }, "ls", 'no matcher: applies always; the tool "Bash" is not in the filter'],
  [{}, "ls", "no matcher: applies always"],
])("a rule says why it applies or does not: %j on %j", (parts, command, why) => {
  const rule = makeRule(parts);
  expect(new RuleIndex([rule]).describe(rule, bashEvent(command))).toBe(why);
});
