import { describe, expect, test } from "vitest";
import { limitReply } from "../../src/aggregate/limit-reply.ts";
import type { HookOutcome, Reply } from "../../src/outcome.ts";
import { ANSWERS, type Answer } from "../../src/rule.ts";
import { own } from "./rule-outcomes.ts";

const receipt = { micros: 7, exitCode: 0 };
const limit = (may: readonly Answer[], reply: Reply): HookOutcome =>
  limitReply(own("r", { may }), { ok: true, reply, receipt });

/** Each part of a reply, and the answer that it needs. */
const PARTS: [Answer, string, Reply][] = [
  ["deny", 'decision "deny"', { decision: "deny", reason: "no" }],
  ["deny", 'decision "block"', { decision: "block", reason: "no" }],
  ["ask", 'decision "ask"', { decision: "ask", reason: "sure?" }],
  ["ask", 'decision "defer"', { decision: "defer" }],
  ["allow", 'decision "allow"', { decision: "allow", reason: "fine" }],
  ["deny", "continue: false", { continue: false, stopReason: "enough" }],
  ["rewrite", "updatedInput", { updatedInput: { command: "ls" } }],
  ["rewrite", "updatedOutput", { updatedOutput: "shorter" }],
  ["rewrite", "updatedMessages", { updatedMessages: [] }],
  ["rewrite", "summary", { summary: "short" }],
  ["rewrite", "specific", { specific: { displayContent: "x" } }],
  ["rewrite", "approval", { approval: { title: "x" } }],
  ["context", "additionalContext", { additionalContext: ["by the way"] }],
  ["context", "systemMessage", { systemMessage: "hello" }],
  ["context", "followUp", { followUp: "next" }],
  ["context", "metadata", { metadata: { risk: "high" } }],
];

describe("a part of a reply", () => {
  test.each(PARTS)('that needs "%s" is kept if the rule may give it: %s', (answer, _what, reply) => {
    expect(limit([answer], reply)).toEqual({ status: "decided", reply, receipt });
  });

  test.each(PARTS)(
    'that needs "%s" is dropped and recorded if the rule may give all others: %s',
    (answer, what, reply) => {
      const others = ANSWERS.filter((other) => other !== answer);
      expect(limit(others, reply)).toEqual({
        status: "abstained",
        receipt,
        dropped: [`${what}: the rule may not "${answer}"`],
      });
    },
  );
});

test("a rule that may give every answer keeps its whole reply", () => {
  const reply: Reply = Object.assign({}, ...PARTS.map(([, , part]) => part));
  expect(limit(ANSWERS, reply)).toEqual({ status: "decided", reply, receipt });
});

test("a rule that may give none loses all of it, part by part", () => {
  const reply: Reply = Object.assign({}, ...PARTS.map(([, , part]) => part));
  const outcome = limit([], reply);
  expect(outcome.status).toBe("abstained");
  expect(outcome.status !== "failed" && outcome.dropped).toHaveLength(12);
});

test("allowed parts are kept when others are dropped", () => {
  const reply: Reply = {
    decision: "allow",
    reason: "fine",
    continue: false,
    stopReason: "enough",
    updatedInput: { command: "ls" },
    systemMessage: "hello",
  };
  expect(limit(["deny", "ask"], reply)).toEqual({
    status: "decided",
    reply: { continue: false, stopReason: "enough" },
    receipt,
    dropped: [
      'decision "allow": the rule may not "allow"',
      'updatedInput: the rule may not "rewrite"',
      'systemMessage: the rule may not "context"',
    ],
  });
});

test("an empty reply is an abstention", () => {
  expect(limit(ANSWERS, {})).toEqual({ status: "abstained", receipt });
});

test("parts that the parser ignored are listed before parts that the rule may not give", () => {
  const result = { ok: true, reply: { decision: "allow" }, receipt, ignored: ["colour: unknown field"] } as const;
  expect(limitReply(own("r", { may: ["deny"] }), result)).toMatchObject({
    status: "abstained",
    dropped: ["colour: unknown field", 'decision "allow": the rule may not "allow"'],
  });
});

test("the original reply is not changed", () => {
  const reply = Object.freeze<Reply>({ decision: "allow", reason: "fine", systemMessage: "hello" });
  limit(["context"], reply);
  expect(reply).toEqual({ decision: "allow", reason: "fine", systemMessage: "hello" });
});

test("new permissions need the answer allow, not rewrite", () => {
  const reply: Reply = { specific: { updatedPermissions: [{ type: "setMode", mode: "bypassPermissions" }] } };
  expect(limit(["rewrite"], reply)).toMatchObject({ status: "abstained" });
  expect(limit(["allow"], reply)).toMatchObject({ status: "decided", reply });
});
