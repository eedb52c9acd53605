import { describe, expect, test } from "vitest";
import { claudeCodeCodec } from "../../src/dialects/claude-code/codec.ts";
import type { HookEvent } from "../../src/event.ts";
import { RuleIndex } from "../../src/matcher/rule-index.ts";
import type { Rule } from "../../src/rule.ts";
import { makeEvent, makeRule } from "../helpers/rules.ts";

const toolUse = (tool: string): HookEvent => makeEvent("PreToolUse", { tool_name: tool });

/** Broken in a way that does not show its intended event. */
function brokenEverywhere(parts: Partial<Rule> = {}): Rule {
  const problem = { severity: "error", code: "HOOK_CONFIG_UNKNOWN_EVENT", message: "unknown event" } as const;
  return makeRule({
    name: "broken",
    event: "*",
    handler: { type: "broken", declaredType: "command", problem },
    ...parts,
  });
}

function select(rules: readonly Rule[], event: HookEvent): string[] {
  return new RuleIndex(rules).select(event).map((rule) => rule.name);
}

describe("the rules of an event", () => {
  test("are only those of its own name", () => {
    const rules = [makeRule({ name: "before" }), makeRule({ name: "after", event: "PostToolUse" })];
    expect(select(rules, toolUse("Bash"))).toEqual(["before"]);
    expect(select(rules, makeEvent("PostToolUse", { tool_name: "Bash" }))).toEqual(["after"]);
    expect(select(rules, makeEvent("Stop"))).toEqual([]);
  });

  test("are those without a matcher, those that list the subject and those whose pattern finds it", () => {
    const rules = [
      makeRule({ name: "all" }),
      makeRule({ name: "exact", matcher: "Bash" }),
      makeRule({ name: "list", matcher: "Edit, Bash" }),
      makeRule({ name: "pattern", matcher: "^Ba" }),
      makeRule({ name: "other name", matcher: "BashOutput" }),
      makeRule({ name: "other pattern", matcher: "^Edit" }),
    ];
    expect(select(rules, toolUse("Bash"))).toEqual(["all", "exact", "list", "pattern"]);
  });

  test("contain a rule once that lists a name twice", () => {
    expect(select([makeRule({ matcher: "Bash|Bash" })], toolUse("Bash"))).toEqual(["rule"]);
  });

  test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])(
    "for a tool named %j are found as for other names",
    (tool) => {
      const rules = [makeRule({ name: "named", matcher: tool }), makeRule({ name: "Bash", matcher: "Bash" })];
      expect(select(rules, toolUse(tool))).toEqual(["named"]);
      expect(select(rules, toolUse("Bash"))).toEqual(["Bash"]);
    },
  );

  test.each([{}, { tool_name: 7 }, { tool_name: null }, { tool_name: ["Read"] }])(
    "are all if the subject is missing or not text: %j",
    (payload) => {
      const rules = [
        makeRule({ name: "exact", matcher: "Bash" }),
        makeRule({ name: "list", matcher: "Edit|Write" }),
        makeRule({ name: "pattern", matcher: "^Nothing$" }),
        makeRule({ name: "all" }),
      ];
      expect(select(rules, makeEvent("PreToolUse", payload))).toEqual(["exact", "list", "pattern", "all"]);
    },
  );

  test("ignore matchers if the event has no subject", () => {
    const rules = [
      makeRule({ name: "named", event: "Stop", matcher: "Bash" }),
      makeRule({ name: "all", event: "Stop" }),
    ];
    expect(select(rules, makeEvent("Stop", { tool_name: "Edit" }))).toEqual(["named", "all"]);
  });

  test("for a changed file are matched by the last part of its path", () => {
    const rule = makeRule({ event: "FileChanged", matcher: "Makefile" });
    for (const path of ["/home/me/Makefile", "Makefile", "C:\\work\\Makefile"])
      expect(select([rule], makeEvent("FileChanged", { file_path: path }))).toEqual(["rule"]);
    expect(select([rule], makeEvent("FileChanged", { file_path: "/Makefile/other" }))).toEqual([]);
  });

  test("are matched by a pattern for FileChanged where PreToolUse would see a list", () => {
    const rules = [
      makeRule({ name: "file", event: "FileChanged", matcher: "a-b" }),
      makeRule({ name: "tool", matcher: "a-b" }),
    ];
    expect(select(rules, makeEvent("FileChanged", { file_path: "/x/aa-bb" }))).toEqual(["file"]);
    expect(select(rules, toolUse("aa-bb"))).toEqual([]);
  });

  test("for a model are matched by its name without the context suffix", () => {
    const rule = makeRule({ event: "PreModelSwitch", matcher: "claude-opus-4-6" });
    expect(select([rule], makeEvent("PreModelSwitch", { to_model: "claude-opus-4-6[1m]" }))).toEqual(["rule"]);
    expect(select([rule], makeEvent("PreModelSwitch", { to_model: "claude-sonnet-4-6" }))).toEqual([]);
  });

  test.each(["opus", "default", "opusplan", "sonnet[1m]", "us.anthropic.claude-sonnet-4-6-v1:0", "vendor/sonnet-4-6"])(
    "are all for a model that %j does not identify",
    (model) => {
      const rules = ["claude-opus-4-6", "opus-4"].map((matcher) =>
        makeRule({ name: matcher, event: "PreModelSwitch", matcher }),
      );
      const both = ["claude-opus-4-6", "opus-4"];
      expect(select(rules, makeEvent("PreModelSwitch", { to_model: model }))).toEqual(both);
    },
  );
});

describe("order", () => {
  test("is by priority first, then by configuration", () => {
    const rules = [
      makeRule({ name: "a" }),
      makeRule({ name: "low", priority: -1 }),
      makeRule({ name: "b", matcher: "Bash" }),
      makeRule({ name: "high", priority: 10, matcher: "^B" }),
      makeRule({ name: "c", matcher: ".*" }),
      makeRule({ name: "middle", priority: 5 }),
    ];
    const index = new RuleIndex(rules);
    expect(index.rules.map((rule) => rule.name)).toEqual(["high", "middle", "a", "b", "c", "low"]);
    expect(index.select(toolUse("Bash"))).toEqual(index.rules);
    expect(index.select(makeEvent("PreToolUse"))).toEqual(index.rules);
  });

  test("does not change the given list, and results cannot be changed", () => {
    const rules = Object.freeze([makeRule({ name: "a" }), makeRule({ name: "b", priority: 1 })]);
    const index = new RuleIndex(rules);
    expect(rules.map((rule) => rule.name)).toEqual(["a", "b"]);
    expect(Object.isFrozen(index.rules)).toBe(true);
    expect(Object.isFrozen(index.select(toolUse("Bash")))).toBe(true);
  });
});

describe("a broken rule of an unknown event", () => {
  test("is selected at every event in its place, even without other rules", () => {
    const rules = [makeRule({ name: "first" }), brokenEverywhere(), makeRule({ name: "last" })];
    expect(select(rules, toolUse("Bash"))).toEqual(["first", "broken", "last"]);
    expect(select(rules, makeEvent("Stop"))).toEqual(["broken"]);
    expect(select(rules, makeEvent("PreToolUse"))).toEqual(["first", "broken", "last"]);
  });

  test("has its priority like any other rule", () => {
    expect(select([makeRule({ name: "a" }), brokenEverywhere({ priority: 1 })], toolUse("Bash"))).toEqual([
      "broken",
      "a",
    ]);
  });

  test("is selected at every event whatever its matcher, because the tested subject is unknown", () => {
    for (const matcher of ["Bash", "^Bash"]) {
      expect(select([brokenEverywhere({ matcher })], toolUse("Bash"))).toEqual(["broken"]);
      expect(select([makeRule({ name: "other" }), brokenEverywhere({ matcher })], toolUse("Bash"))).toEqual([
        "other",
        "broken",
      ]);
    }
  });
});

describe("matchers", () => {
  test("that cannot be compiled throw, with the name of the rule", () => {
    expect(() => new RuleIndex([makeRule({ id: "file#/hooks/0", matcher: "(?=a)" })])).toThrow(/file#\/hooks\/0/);
  });

  test("are described by matcherOf", () => {
    const rule = makeRule({ matcher: "Edit|Write" });
    expect(new RuleIndex([rule]).matcherOf(rule)).toEqual({ kind: "names", names: ["Edit", "Write"] });
  });

  test("are read in the dialect of the rule's file", () => {
    const imported = makeRule({ codec: claudeCodeCodec, matcher: "Edit, Write" });
    expect(select([imported], toolUse("Write"))).toEqual(["rule"]);
  });
});

describe("the cache of selections", () => {
  const patterns = [
    makeRule({ name: "even", matcher: "^tool[0-9]*[02468]$" }),
    makeRule({ name: "any", matcher: "^tool" }),
  ];

  test("returns the same object for the same name, and another one for another name", () => {
    const index = new RuleIndex(patterns);
    const answer = index.select(toolUse("tool2"));
    expect(index.select(toolUse("tool2"))).toBe(answer);
    expect(index.select(toolUse("tool3")).map((rule) => rule.name)).toEqual(["any"]);
    expect(index.select(toolUse("tool2"))).toBe(answer);
  });

  test("distinguishes events", () => {
    const index = new RuleIndex([makeRule({ name: "before" }), makeRule({ name: "after", event: "PostToolUse" })]);
    expect(index.select(toolUse("Bash"))[0]?.name).toBe("before");
    expect(index.select(makeEvent("PostToolUse", { tool_name: "Bash" }))[0]?.name).toBe("after");
  });

  test("is bounded: after thousands of names the first is computed again, and no result is wrong", () => {
    const index = new RuleIndex(patterns);
    const answer = index.select(toolUse("tool0"));
    for (let number = 1; number <= 3_000; number++) {
      const names = index.select(toolUse(`tool${number}`)).map((rule) => rule.name);
      expect(names).toEqual(number % 2 === 0 ? ["even", "any"] : ["any"]);
    }
    const again = index.select(toolUse("tool0"));
    expect(again).not.toBe(answer);
    expect(again).toEqual(answer);
  });

  test("is used before the event's other names for the tool are computed", () => {
    const index = new RuleIndex(patterns);
    let asked = 0;
    const event = Object.defineProperty({ ...toolUse("tool2") }, "toolNames", {
      get: () => {
        asked += 1;
        return ["tool4"];
      },
    });
    const answer = index.select(event);
    expect(asked).toBe(1);
    expect(index.select(event)).toBe(answer);
    expect(asked).toBe(1);
  });

  test("does not store a name that is too long for a tool", () => {
    const index = new RuleIndex(patterns);
    const long = toolUse(`tool${"x".repeat(1_000_000)}`);
    expect(index.select(long)).toEqual(index.select(long));
    expect(index.select(long)).not.toBe(index.select(long));
  });
});

test("an event without rules costs almost nothing next to ten thousand rules", () => {
  const index = new RuleIndex(Array.from({ length: 10_000 }, (_, number) => makeRule({ matcher: `Tool${number}` })));
  const started = performance.now();
  for (let round = 0; round < 10_000; round++) index.select(makeEvent("Stop"));
  for (let round = 0; round < 10_000; round++) index.select(toolUse("Bash"));
  expect(performance.now() - started).toBeLessThan(10_000);
});
