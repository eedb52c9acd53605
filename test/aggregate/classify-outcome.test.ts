import { expect, test } from "vitest";
import { aggregate, type RuleOutcome } from "../../src/aggregate/aggregate.ts";
import { makeEvent } from "../helpers/rules.ts";
import { abstains, fails, imported, says } from "./rule-outcomes.ts";

const word = (event: string, ruleOutcome: RuleOutcome) => aggregate(makeEvent(event), [ruleOutcome]).rules[0]?.outcome;

test.each<[string, string, RuleOutcome, string]>([
  ["no opinion", "PreToolUse", abstains("r"), "success"],
  ["a permission", "PreToolUse", says("r", { decision: "allow" }), "success"],
  ["a question", "PreToolUse", says("r", { decision: "ask" }), "success"],
  ["text", "PreToolUse", says("r", { additionalContext: ["a"] }), "success"],
  ["a denial", "PreToolUse", says("r", { decision: "deny" }), "blocking"],
  ["a block", "Stop", says("r", { decision: "block" }), "blocking"],
  ["the end of all work", "PostToolUse", says("r", { continue: false }), "blocking"],
  ["a deadline that was missed, at a gate", "PreToolUse", fails("r", "timeout"), "blocking"],
  ["a deadline that was missed, elsewhere", "Stop", fails("r", "timeout"), "non_blocking_error"],
  ["an agent's exit code", "PreToolUse", fails(imported("r"), "exit"), "non_blocking_error"],
  ["the caller's change of mind", "PreToolUse", fails("r", "cancelled"), "cancelled"],
  ["an agent out of turns, at a gate", "PreToolUse", fails("r", "turns"), "cancelled"],
  ["an agent out of turns, elsewhere", "Stop", fails("r", "turns"), "cancelled"],
  ["the caller's change of mind, at the end", "SessionEnd", fails("r", "cancelled"), "cancelled"],
])("%s at %s is %j", (_what, event, ruleOutcome, expected) => {
  expect(word(event, ruleOutcome)).toBe(expected);
});

test("an agent without further turns shuts a gate, and is ignored silently if the agent's page says so", () => {
  const verdictOf = (compat: "safer" | "faithful") =>
    aggregate(makeEvent("PreToolUse"), [fails(imported("r", { dialect: "patterns", compat }), "turns")]);
  expect(verdictOf("safer")).toMatchObject({ decision: "deny", cancelled: false });
  expect(verdictOf("faithful")).toMatchObject({ decision: "none", cancelled: false, systemMessage: null });
});
