import { describe, expect, test } from "vitest";
import { aggregate } from "../../src/aggregate/aggregate.ts";
import { bashEvent, makeEvent } from "../helpers/rules.ts";
import { own, says } from "./judgements.ts";

const tool = bashEvent("ls");
const to = (command: string) => ({ updatedInput: { command } });

describe("of rules that all see the original", () => {
  test("the one whose rewrite lost is told so by name", () => {
    const verdict = aggregate(tool, [says("a", to("one")), says("b", to("two")), says("c", to("ls"))]);
    expect(verdict.updatedInput).toEqual({ command: "two" });
    expect(verdict.rules.map(({ dropped }) => dropped)).toEqual([
      ['updatedInput: the value of "b" counts instead'],
      [],
      [],
    ]);
  });

  test("two that agree have no quarrel", () => {
    const verdict = aggregate(tool, [says("a", to("one")), says("b", to("one"))]);
    expect(verdict.rules.flatMap(({ dropped }) => dropped)).toEqual([]);
  });

  test("an output that is cleared is one, and one that is handed back clears nothing", () => {
    const event = makeEvent("PostToolUse", { tool_name: "Bash", tool_response: "raw" });
    expect(aggregate(event, [says("a", { updatedOutput: "" })]).updatedOutput).toBe("");
    const judgements = [says("a", { updatedOutput: "masked" }), says("b", { updatedOutput: "raw" })];
    expect(aggregate(event, judgements).updatedOutput).toBe("masked");
    expect(
      aggregate(event, [says("a", { updatedOutput: "x" }), says("b", { updatedOutput: null })]).updatedOutput,
    ).toBe("x");
  });

  test("an empty list of messages is none", () => {
    const judgements = [says("a", { updatedMessages: ["x"] }), says("b", { updatedMessages: [] })];
    expect(aggregate(makeEvent("Stop"), judgements).updatedMessages).toEqual(["x"]);
  });

  test("the first summary counts that says anything", () => {
    const verdict = aggregate(makeEvent("PreCompact"), [
      says("a", { summary: "" }),
      says("b", { summary: "b" }),
      says("c", { summary: "c" }),
    ]);
    expect(verdict.summary).toBe("b");
    expect(verdict.rules[2]?.dropped).toEqual(['summary: that of "b" counts']);
  });

  test("an async rule that was waited for adds its texts, and decides nothing", () => {
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
