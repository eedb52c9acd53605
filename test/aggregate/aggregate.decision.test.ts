import { describe, expect, test } from "vitest";
import { aggregate } from "../../src/aggregate/aggregate.ts";
import { encodeReply } from "../../src/dialects/claude-reply.ts";
import type { Decision } from "../../src/outcome.ts";
import { bashEvent, makeEvent } from "../helpers/rules.ts";
import { abstains, fails, guard, own, says } from "./rule-outcomes.ts";

const tool = bashEvent("rm -rf build");
const stop = makeEvent("Stop");

describe("without an answer", () => {
  test.each([
    ["no rule", []],
    ["rules that have no opinion", [abstains("a"), says("b", {})]],
  ])("%s gives a verdict that decides nothing", (_what, ruleOutcomes) => {
    const { rules, ...verdict } = aggregate(tool, ruleOutcomes);
    expect(verdict).toEqual({
      event: "PreToolUse",
      decision: "none",
      continue: true,
      stopReason: null,
      reason: null,
      additionalContext: null,
      systemMessage: null,
      suppressOutput: false,
      updatedInput: null,
      updatedOutput: null,
      updatedMessages: null,
      summary: null,
      followUp: null,
      metadata: {},
      approval: null,
      specific: {},
      cancelled: false,
      problems: [],
    });
    expect(rules).toHaveLength(ruleOutcomes.length);
  });
});

describe("precedence", () => {
  const order: Decision[] = ["deny", "defer", "ask", "allow"];
  const pairs = order.flatMap((stronger, rank) => order.slice(rank + 1).map((weaker) => [stronger, weaker] as const));

  test.each(pairs)("%s outranks %s, in any order of the rules", (stronger, weaker) => {
    const [a, b] = [says("a", { decision: stronger, reason: "A" }), says("b", { decision: weaker, reason: "B" })];
    for (const ruleOutcomes of [
      [a, b],
      [b, a],
      [b, a, b],
    ])
      expect(aggregate(tool, ruleOutcomes)).toMatchObject({ decision: stronger, reason: "a: A" });
  });

  test.each(order)("%s outranks having no opinion", (decision) => {
    expect(aggregate(tool, [abstains("a"), says("b", { decision }), abstains("c")]).decision).toBe(decision);
  });

  test("a block remains whatever the others answer", () => {
    const ruleOutcomes = [abstains("a"), says("b", { decision: "block", reason: "go on" })];
    expect(aggregate(stop, ruleOutcomes)).toMatchObject({ decision: "block", reason: "b: go on", continue: true });
  });
});

describe("reasons", () => {
  test("for the decision are all kept, in order, each with its rule's name", () => {
    const verdict = aggregate(tool, [
      says("first", { decision: "deny", reason: "one" }),
      says("second", { decision: "ask", reason: "not of the decision" }),
      fails("third", "timeout", "no answer within 5 ms"),
      says("fourth", { decision: "deny", reason: "four" }),
    ]);
    expect(verdict.reason).toBe("first: one\nthird: timeout: no answer within 5 ms; the gate stays shut\nfourth: four");
  });

  test("of a rule that gives none contain the rule's name", () => {
    expect(aggregate(tool, [says("quiet", { decision: "deny" })]).reason).toBe("quiet: says deny");
  });

  test("that are empty are ignored", () => {
    expect(aggregate(tool, [says("quiet", { decision: "deny", reason: "" })]).reason).toBe("quiet: says deny");
    const stops = { decision: "deny", continue: false, stopReason: "policy" } as const;
    expect(aggregate(tool, [says("quiet", stops)]).reason).toBe("quiet: policy");
    expect(aggregate(tool, [says("quiet", { ...stops, reason: "why" })]).reason).toBe("quiet: why");
  });

  test("are cleaned of control characters for a terminal, and cut", () => {
    const { reason } = aggregate(tool, [
      says("a", { decision: "deny", reason: `\u001b[2Jx\u202e${"y".repeat(20_000)}` }),
    ]);
    expect(reason).toMatch(/^a: \[2Jxy+… \[\d+ more characters\]$/);
    expect(reason!.length).toBeLessThan(10_100);
  });

  test("contain no control characters of a rule's name either", () => {
    const { reason } = aggregate(tool, [says(own("evil\u001b[2J"), { decision: "deny", reason: "x" })]);
    expect(reason).toBe("evil[2J: x");
  });

  test("of a failure contain the rule, its place, the kind and the cause", () => {
    const rule = own("audit", { place: { file: "hookbox.json", line: 7, column: 3, pointer: "/hooks" } });
    expect(aggregate(tool, [fails(rule, "exit", "ended with exit code 1")]).reason).toBe(
      "audit (hookbox.json:7:3): exit: ended with exit code 1; the gate stays shut",
    );
  });
});

describe("`continue: false`", () => {
  test("stops the agent whatever is decided, with all its reasons in order", () => {
    const verdict = aggregate(tool, [
      says("a", { decision: "allow" }),
      says("b", { continue: false, stopReason: "budget" }),
      says("c", { continue: false }),
    ]);
    expect(verdict).toMatchObject({ continue: false, stopReason: "b: budget\nc: stops the agent" });
  });

  test.each([{}, { decision: "allow" }, { decision: "ask" }, { decision: "defer" }] as const)(
    "also refuses the action, for agents that read only decisions: next to %j",
    (reply) => {
      expect(aggregate(tool, [says("a", reply), says("b", { continue: false })]).decision).toBe("deny");
    },
  );

  test("is the reason of the refusal then", () => {
    const verdict = aggregate(tool, [
      says("a", { decision: "ask", reason: "?" }),
      says("b", { continue: false, stopReason: "budget" }),
    ]);
    expect(verdict).toMatchObject({ decision: "deny", reason: "b: budget" });
  });

  test("does not replace a denial's own reason", () => {
    const ruleOutcomes = [says("a", { decision: "deny", reason: "no" }), says("b", { continue: false })];
    expect(aggregate(tool, ruleOutcomes)).toMatchObject({
      decision: "deny",
      reason: "a: no",
      stopReason: "b: stops the agent",
    });
  });

  test("lets the agent stop at Stop: it is not converted to a block, which would make the agent go on", () => {
    expect(aggregate(stop, [says("a", { continue: false })])).toMatchObject({ decision: "none", continue: false });
    expect(aggregate(stop, [says("a", { decision: "block" }), says("b", { continue: false })])).toMatchObject({
      decision: "block",
      continue: false,
    });
  });

  test("decides nothing at an event that cannot be refused", () => {
    const event = makeEvent("SessionStart");
    expect(aggregate(event, [says("a", { continue: false })])).toMatchObject({ decision: "none", continue: false });
  });

  test("is needed for a stopReason", () => {
    expect(aggregate(tool, [says("a", { decision: "deny", stopReason: "ignored" })]).stopReason).toBeNull();
  });
});

describe("monitor mode", () => {
  const watching = (name: string) => guard(name, { mode: "monitor" });

  test("ignores what the rule answers", () => {
    const verdict = aggregate(tool, [
      says("real", { decision: "allow" }),
      says(watching("w"), {
        decision: "deny",
        continue: false,
        systemMessage: "no",
        additionalContext: ["no"],
        updatedInput: { command: "no" },
        suppressOutput: true,
        specific: { a: 1 },
      }),
    ]);
    expect(verdict).toMatchObject({
      decision: "allow",
      continue: true,
      systemMessage: null,
      additionalContext: null,
      updatedInput: null,
      suppressOutput: false,
      specific: {},
    });
  });

  test("reports what the rule would have answered", () => {
    const { rules } = aggregate(tool, [
      says(watching("w"), { decision: "deny", reason: "secrets" }),
      fails(watching("x"), "trap", "unreachable"),
    ]);
    expect(rules).toMatchObject([
      { rule: "w", mode: "monitor", decision: "deny", reason: "w: secrets", onFailure: null },
      { rule: "x", mode: "monitor", status: "failed", decision: "deny", onFailure: "deny", failure: { kind: "trap" } },
    ]);
  });

  test("ignores a failing rule", () => {
    expect(aggregate(tool, [fails(watching("w"), "timeout")])).toMatchObject({ decision: "none", systemMessage: null });
  });
});

describe("cancellation", () => {
  test("is neither a denial nor a permission", () => {
    const verdict = aggregate(tool, [fails("a", "cancelled", "cancelled by the caller")]);
    expect(verdict).toMatchObject({
      cancelled: true,
      decision: "none",
      continue: true,
      reason: null,
      systemMessage: null,
    });
  });

  test("removes the permission of rules that answered, but not their refusals or doubts", () => {
    const heard = (decision: Decision) => aggregate(tool, [says("a", { decision }), fails("b", "cancelled")]).decision;
    expect(heard("allow")).toBe("none");
    expect(heard("deny")).toBe("deny");
    expect(heard("ask")).toBe("ask");
    expect(heard("defer")).toBe("defer");
  });

  test("is not sent to the agent as no opinion", () => {
    const verdict = aggregate(tool, [says("a", { decision: "allow" }), fails("b", "cancelled")]);
    expect(encodeReply(verdict)).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/cancelled/) });
  });

  test("is reported for the cancelled rule, by its kind", () => {
    const [report] = aggregate(tool, [fails("a", "cancelled")]).rules;
    expect(report).toMatchObject({ status: "failed", decision: null, reason: null, failure: { kind: "cancelled" } });
  });

  test("is not reported as a denial", () => {
    expect(aggregate(tool, [fails("a", "cancelled")]).rules[0]?.onFailure).not.toBe("deny");
  });
});
