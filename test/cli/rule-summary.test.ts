import { describe, expect, test } from "vitest";
import { summaryOf } from "../../src/cli/rule-summary.ts";
import { makeRule } from "../helpers/rules.ts";

describe("the answers in a line of check", () => {
  test.each([
    ["docker-agent", "TurnStart", "may context"],
    ["docker-agent", "Stop", "no answers"],
    ["docker-agent", "PostToolUse", "may deny"],
    ["docker-agent", "ToolResponseTransform", "may rewrite"],
    ["docker-agent", "PermissionRequest", "may deny+ask+allow"],
    ["claude-code", "PreToolUse", "may deny+ask+allow+rewrite+context"],
    ["claude-code", "SessionStart", "may deny+context"],
  ] as const)("are those that %s uses at %s", (dialect, event, words) => {
    const rule = { ...makeRule({ event }), dialect };
    expect(summaryOf(rule, dialect).split(", ")).toContain(words);
  });

  test("are at most those that the rule may give", () => {
    const rule = makeRule({ event: "PreToolUse", may: ["deny"] });
    expect(summaryOf(rule, rule.dialect).split(", ")).toContain("may deny");
  });

  test("are all that the rule may give if the rule's event is unknown", () => {
    const rule = makeRule({ event: "*" });
    expect(summaryOf(rule, rule.dialect).split(", ")).toContain("may deny+ask+allow+rewrite+context");
  });
});
