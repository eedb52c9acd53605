import { describe, expect, test } from "vitest";
import { aggregate } from "../../src/aggregate/aggregate.ts";
import type { Reply } from "../../src/outcome.ts";
import { bashEvent } from "../helpers/rules.ts";
import { abstains, fails, guard, imported, own, says } from "./rule-outcomes.ts";

const event = bashEvent("ls");
const rewrite = says("rewriter", { decision: "allow", updatedInput: { command: "rm -rf /" } });
const again = (reply: Reply) => says("guard", reply, "second");

describe("after a rewrite", () => {
  test("a rule without an objection changes nothing", () => {
    const verdict = aggregate(event, [rewrite, abstains("guard"), abstains("guard", "second")]);
    expect(verdict).toMatchObject({ decision: "allow", updatedInput: { command: "rm -rf /" } });
    expect(verdict.rules.map((report) => report.look)).toEqual(["first", "first", "second"]);
  });

  test.each(["deny", "defer"] as const)("a rule that now answers %s counts, and the rewrite is dropped", (decision) => {
    const verdict = aggregate(event, [rewrite, abstains("guard"), again({ decision, reason: "root" })]);
    expect(verdict).toMatchObject({ decision, reason: "guard: root", updatedInput: null });
  });

  test("a rule that now has doubts counts, about the rewritten input", () => {
    const verdict = aggregate(event, [rewrite, again({ decision: "ask", reason: "root?" })]);
    expect(verdict).toMatchObject({ decision: "ask", reason: "guard: root?", updatedInput: { command: "rm -rf /" } });
  });

  test("a rule that now stops the agent counts", () => {
    const verdict = aggregate(event, [rewrite, again({ continue: false, stopReason: "enough" })]);
    expect(verdict).toMatchObject({
      continue: false,
      decision: "deny",
      stopReason: "guard: enough",
      updatedInput: null,
    });
  });

  test("a rule without an objection now does not withdraw its answer to the original", () => {
    const ruleOutcomes = [rewrite, says("guard", { decision: "deny", reason: "no" }), again({ decision: "allow" })];
    expect(aggregate(event, ruleOutcomes)).toMatchObject({ decision: "deny", reason: "guard: no" });
  });
});

describe("a permission for the original input", () => {
  const silentRewrite = says("rewriter", { updatedInput: { command: "rm -rf /" } });
  const approver = own("approver");
  const approval = says(approver, { decision: "allow", reason: "only lists" });

  test("does not extend to a rewritten one that the rule no longer approves", () => {
    const verdict = aggregate(event, [approval, silentRewrite, abstains(approver, "second")]);
    expect(verdict).toMatchObject({ decision: "none", updatedInput: { command: "rm -rf /" } });
  });

  test("remains if the rule gives it again", () => {
    const verdict = aggregate(event, [approval, silentRewrite, says(approver, { decision: "allow" }, "second")]);
    expect(verdict.decision).toBe("allow");
  });

  test("remains if it is the rewriting rule's own", () => {
    expect(aggregate(event, [rewrite, abstains("guard", "second")]).decision).toBe("allow");
  });
});

describe("a second look can only tighten", () => {
  test("its permission is dropped and recorded", () => {
    const silent = says("rewriter", { updatedInput: { command: "x" } });
    const verdict = aggregate(event, [silent, again({ decision: "allow", reason: "fine" })]);
    expect(verdict.decision).toBe("none");
    expect(verdict.rules[1]).toMatchObject({
      status: "abstained",
      decision: null,
      dropped: ['decision "allow": the second look may only refuse'],
    });
  });

  test("neither its texts nor its other fields count", () => {
    const reply = { decision: "ask", systemMessage: "hi", additionalContext: ["x"], specific: { y: 1 } } as const;
    expect(aggregate(event, [rewrite, again(reply)])).toMatchObject({
      decision: "ask",
      systemMessage: null,
      additionalContext: null,
      specific: {},
    });
  });

  test("its dropped parts are recorded", () => {
    const verdict = aggregate(event, [rewrite, again({ systemMessage: "hi", additionalContext: ["x"] })]);
    expect(verdict.rules[1]?.dropped).toHaveLength(2);
  });

  test("another rewrite is a failure, and closes the gate", () => {
    const verdict = aggregate(event, [rewrite, again({ updatedInput: { command: "y" } })]);
    expect(verdict).toMatchObject({ decision: "deny", updatedInput: null });
    expect(verdict.rules[1]).toMatchObject({ status: "failed", look: "second", failure: { kind: "invalid-output" } });
    expect(verdict.reason).toMatch(/^guard: invalid-output: rewrote an input that was already rewritten/);
  });

  test("another rewrite by an imported rule closes the gate too, unless its agent's page is followed to the letter", () => {
    const second = (compat: "safer" | "faithful") =>
      aggregate(event, [rewrite, says(imported("b", { compat }), { updatedInput: { command: "y" } }, "second")]);
    expect(second("safer")).toMatchObject({ decision: "deny", updatedInput: null });
    expect(second("faithful")).toMatchObject({ decision: "allow", updatedInput: { command: "rm -rf /" } });
  });

  test("returning the rewritten input unchanged is not another rewrite", () => {
    const verdict = aggregate(event, [rewrite, again({ updatedInput: { command: "rm -rf /" } })]);
    expect(verdict).toMatchObject({ decision: "allow", updatedInput: { command: "rm -rf /" } });
  });

  test("a failure in it closes the gate like any failure", () => {
    const ruleOutcomes = [rewrite, abstains("guard"), fails("guard", "timeout", "no answer within 5 ms", "second")];
    expect(aggregate(event, ruleOutcomes)).toMatchObject({ decision: "deny", updatedInput: null });
  });

  test("a rule in monitor mode neither refuses nor fails in it", () => {
    const watching = guard("w", { mode: "monitor" });
    expect(aggregate(event, [rewrite, says(watching, { decision: "deny" }, "second")]).decision).toBe("allow");
    expect(
      aggregate(event, [rewrite, says(own("w", { mode: "monitor" }), { updatedInput: {} }, "second")]).decision,
    ).toBe("allow");
  });
});
