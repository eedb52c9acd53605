import { describe, expect, test } from "vitest";
import { aggregate } from "../../src/aggregate/aggregate.ts";
import { bashEvent, makeEvent } from "../helpers/rules.ts";
import { own, says } from "./rule-outcomes.ts";

const tool = bashEvent("ls");
const to = (command: string) => ({ updatedInput: { command } });

describe("rules that all see the original", () => {
  test("whose rewrite was overridden are named", () => {
    const verdict = aggregate(tool, [says("a", to("one")), says("b", to("two")), says("c", to("ls"))]);
    expect(verdict.updatedInput).toEqual({ command: "two" });
    expect(verdict.rules.map(({ dropped }) => dropped)).toEqual([
      ['updatedInput: the value of "b" counts instead'],
      [],
      [],
    ]);
  });

  test("that agree do not override each other", () => {
    const verdict = aggregate(tool, [says("a", to("one")), says("b", to("one"))]);
    expect(verdict.rules.flatMap(({ dropped }) => dropped)).toEqual([]);
  });

  test("can clear an output, and clear nothing by returning it", () => {
    const event = makeEvent("PostToolUse", { tool_name: "Bash", tool_response: "raw" });
    expect(aggregate(event, [says("a", { updatedOutput: "" })]).updatedOutput).toBe("");
    const ruleOutcomes = [says("a", { updatedOutput: "masked" }), says("b", { updatedOutput: "raw" })];
    expect(aggregate(event, ruleOutcomes).updatedOutput).toBe("masked");
    expect(
      aggregate(event, [says("a", { updatedOutput: "x" }), says("b", { updatedOutput: null })]).updatedOutput,
    ).toBe("x");
  });

  test("do not rewrite with an empty list of messages", () => {
    const ruleOutcomes = [says("a", { updatedMessages: ["x"] }), says("b", { updatedMessages: [] })];
    expect(aggregate(makeEvent("Stop"), ruleOutcomes).updatedMessages).toEqual(["x"]);
  });

  test("can set a summary: the first that is not empty counts", () => {
    const verdict = aggregate(makeEvent("PreCompact"), [
      says("a", { summary: "" }),
      says("b", { summary: "b" }),
      says("c", { summary: "c" }),
    ]);
    expect(verdict.summary).toBe("b");
    expect(verdict.rules[2]?.dropped).toEqual(['summary: that of "b" counts']);
  });

  test("that are async and were waited for add their texts, and decide nothing", () => {
    const reply = {
      decision: "deny",
      reason: "no",
      continue: false,
      additionalContext: ["found"],
      systemMessage: "hi",
      ...to("rm"),
    } as const;
    const verdict = aggregate(tool, [says(own("later", { async: true }), reply)]);
    expect(verdict).toMatchObject({
      decision: "none",
      continue: true,
      updatedInput: null,
      additionalContext: "found",
      systemMessage: "hi",
    });
    expect(verdict.rules[0]).toMatchObject({ decision: "deny", reason: "later: no" });
    expect(verdict.rules[0]?.dropped).toContain("decision: the rule is async");
  });
});
