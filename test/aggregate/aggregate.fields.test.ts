import { describe, expect, test } from "vitest";
import { aggregate, type RuleOutcome } from "../../src/aggregate/aggregate.ts";
import { Rewrites } from "../../src/aggregate/rewrites.ts";
import type { HookEvent } from "../../src/event.ts";
import { contractOfEvent } from "../../src/events/lookup.ts";
import { bashEvent, makeEvent } from "../helpers/rules.ts";
import { abstains, fails, guard, imported, own, says } from "./rule-outcomes.ts";

const tool = bashEvent("curl example.org");

const rewrittenInput = (event: HookEvent, ruleOutcomes: readonly RuleOutcome[]) =>
  Rewrites.of(event, contractOfEvent(event), ruleOutcomes).changedInput;

describe("text", () => {
  test("of all rules is kept, in order, one on a line", () => {
    const verdict = aggregate(tool, [
      says("a", { additionalContext: ["one", "two"], systemMessage: "first" }),
      abstains("b"),
      says("c", { additionalContext: ["three"], systemMessage: "second" }),
    ]);
    expect(verdict).toMatchObject({ additionalContext: "one\ntwo\nthree", systemMessage: "first\nsecond" });
  });

  test("of a guard is marked as a guest's text; a command's is not marked", () => {
    const reply = { additionalContext: ["hello"], systemMessage: "hi" };
    expect(aggregate(tool, [says(guard("guest"), reply), says(own("ours"), reply)])).toMatchObject({
      additionalContext: "guest: hello\nhello",
      systemMessage: "guest: hi\nhi",
    });
  });

  test("is cleaned and cut, for every rule", () => {
    const text = `\u001b]0;x\u0007\u200b${"y".repeat(20_000)}`;
    const verdict = aggregate(tool, [
      says(own("a"), { additionalContext: [text], systemMessage: text, continue: false, stopReason: text }),
    ]);
    for (const field of ["additionalContext", "systemMessage", "stopReason"] as const) {
      expect(verdict[field]).toMatch(/^(a: )?\]0;xy+… \[\d+ more characters\]$/);
    }
  });

  test("in a field of a single event is cleaned too", () => {
    const shown = aggregate(makeEvent("MessageDisplay"), [
      says(guard("g"), { specific: { displayContent: "\u001b[2Jx" } }),
    ]);
    expect(shown.specific).toEqual({ displayContent: "[2Jx" });
    const started = aggregate(makeEvent("SessionStart"), [
      says(guard("g"), { specific: { initialUserMessage: "ab\u202ecd" } }),
    ]);
    expect(started.specific).toEqual({ initialUserMessage: "abcd" });
  });

  test("in a summary or a follow-up is cleaned too", () => {
    const verdict = aggregate(tool, [says(guard("g"), { summary: "a\u001bb", followUp: "c\u001bd" })]);
    expect(verdict.summary).not.toContain("\u001b");
    expect(verdict.followUp).not.toContain("\u001b");
  });
});

describe("the last rule in order wins", () => {
  test("an output, messages", () => {
    const verdict = aggregate(tool, [
      says("a", { updatedOutput: "one", updatedMessages: [1] }),
      says("b", { updatedOutput: { stdout: "two" }, updatedMessages: [2] }),
      abstains("c"),
    ]);
    expect(verdict).toMatchObject({ updatedOutput: { stdout: "two" }, updatedMessages: [2] });
  });

  test("except that several rules' instructions are all kept", () => {
    const verdict = aggregate(makeEvent("SessionStart", {}, "docker-agent"), [
      says("a", { specific: { instructionContext: [{ key: "one" }] } }),
      says("b", { specific: { instructionContext: [{ key: "two" }] } }),
    ]);
    expect(verdict.specific).toEqual({ instructionContext: [{ key: "one" }, { key: "two" }] });
  });

  test("notes about an output only with that output", () => {
    const event = makeEvent("PostToolUse", { tool_response: "original" });
    const about = (text: string, updatedOutput?: string) => ({
      specific: { classifierContext: text },
      ...(updatedOutput === undefined ? {} : { updatedOutput }),
    });
    const verdict = aggregate(event, [says("a", about("of a", "one")), says("b", { updatedOutput: "two" })]);
    expect(verdict).toMatchObject({ updatedOutput: "two", specific: {} });
    expect(verdict.specific).toEqual({});
    expect(verdict.rules[0]?.dropped).toContain("classifierContext: the output that it describes does not count");
    const kept = aggregate(event, [says("a", about("of a")), says("b", about("of b", "two")), says("c", {})]);
    expect(kept.specific).toEqual({ classifierContext: "of b" });
  });

  test("each field that is specific to the event, and of the metadata", () => {
    const verdict = aggregate(tool, [
      says("a", { specific: { x: 1, y: 1 }, metadata: { m: 1 } }),
      says("b", { specific: { y: 2 }, metadata: { n: 2 } }),
    ]);
    expect(verdict).toMatchObject({ specific: { x: 1, y: 2 }, metadata: { m: 1, n: 2 } });
  });

  test("a key called __proto__ is an ordinary key", () => {
    const specific = JSON.parse('{"__proto__": {"polluted": true}}') as { readonly [key: string]: never };
    const verdict = aggregate(tool, [says("a", { specific }), says("b", { specific: { x: 1 } })]);
    expect(Object.keys(verdict.specific).sort()).toEqual(["__proto__", "x"]);
    expect((verdict.specific as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

test("the first summary counts, every follow-up is kept, and one rule is sufficient to suppress the output", () => {
  const verdict = aggregate(tool, [
    says("a", { followUp: "one" }),
    says("b", { summary: "first", suppressOutput: true }),
    says("c", { summary: "second", followUp: "two" }),
  ]);
  expect(verdict).toMatchObject({ summary: "first", followUp: "one\ntwo", suppressOutput: true });
});

describe("a rewritten input", () => {
  const to = (command: string) => ({ updatedInput: { command } });

  test("is that of the last rule in order that gives one", () => {
    const ruleOutcomes = [says("a", to("one")), says("b", to("two")), abstains("c")];
    expect(aggregate(tool, ruleOutcomes).updatedInput).toEqual({ command: "two" });
    expect(rewrittenInput(tool, ruleOutcomes)).toEqual({ command: "two" });
  });

  test.each(["allow", "ask"] as const)("is kept with %s", (decision) => {
    expect(aggregate(tool, [says("a", { decision, ...to("one") })]).updatedInput).toEqual({ command: "one" });
  });

  test.each(["deny", "block", "defer"] as const)("is dropped with %s, because the call does not run", (decision) => {
    expect(aggregate(tool, [says("a", to("one")), says("b", { decision })]).updatedInput).toBeNull();
  });

  test("is dropped with a failure that closes the gate, and with a stop", () => {
    expect(aggregate(tool, [says("a", to("one")), fails("b", "timeout")]).updatedInput).toBeNull();
    expect(aggregate(tool, [says("a", to("one")), says("b", { continue: false })]).updatedInput).toBeNull();
  });

  test("of a rule in monitor mode does not count", () => {
    const ruleOutcomes = [says(own("w", { mode: "monitor" }), to("one"))];
    expect(rewrittenInput(tool, ruleOutcomes)).toBeUndefined();
    expect(aggregate(tool, ruleOutcomes).updatedInput).toBeNull();
  });

  test("that equals the original is no rewrite", () => {
    expect(rewrittenInput(tool, [says("a", to("curl example.org"))])).toBeUndefined();
    expect(rewrittenInput(tool, [abstains("a")])).toBeUndefined();
    const event = makeEvent("PreToolUse", { tool_name: "X", tool_input: { a: { b: [1] }, c: 2 } });
    expect(rewrittenInput(event, [says("a", { updatedInput: { c: 2, a: { b: [1] } } })])).toBeUndefined();
  });

  test("for a call without an input is a rewrite", () => {
    const event = makeEvent("PreToolUse", { tool_name: "X" });
    expect(rewrittenInput(event, [says("a", { updatedInput: {} })])).toEqual({});
  });

  test("is not reverted by a later rule that returns the original", () => {
    const ruleOutcomes = [
      says("sanitise", to("curl --proto =https example.org")),
      says("logger", to("curl example.org")),
    ];
    expect(rewrittenInput(tool, ruleOutcomes)).toEqual({ command: "curl --proto =https example.org" });
    expect(aggregate(tool, ruleOutcomes).updatedInput).toEqual({ command: "curl --proto =https example.org" });
  });
});

describe("the report of each rule", () => {
  test("is in order, with type, status, decision and reason", () => {
    const problem = { severity: "error", code: "HOOK_CONFIG_TYPE", message: "bad" } as const;
    const broken = own("b", { handler: { type: "broken", declaredType: "http", problem } });
    const { rules } = aggregate(tool, [
      says(guard("a"), { decision: "ask", reason: "sure?" }),
      fails(broken, "unavailable"),
      abstains(imported("c")),
    ]);
    expect(rules).toMatchObject([
      {
        rule: "a",
        type: "wasm",
        status: "decided",
        decision: "ask",
        reason: "a: sure?",
        failure: null,
        onFailure: null,
      },
      { rule: "b", type: "http", status: "failed", decision: "deny", onFailure: "deny" },
      { rule: "c", type: "command", status: "abstained", decision: null, reason: null, look: "first" },
    ]);
  });

  test("contains the dropped parts of its answer, and the cost of the run", () => {
    const receipt = { micros: 42, outputBytes: 7 };
    const outcome = { status: "abstained", receipt, dropped: ["updatedInput: no"] } as const;
    const [report] = aggregate(tool, [{ rule: own("a"), outcome, look: "first" }]).rules;
    expect(report).toMatchObject({ dropped: ["updatedInput: no"], receipt });
  });

  test("the configuration's problems are passed on", () => {
    const problems = [{ severity: "warning", code: "HOOK_CONFIG_INERT", message: "no effect" }] as const;
    expect(aggregate(tool, [], problems).problems).toBe(problems);
  });
});
