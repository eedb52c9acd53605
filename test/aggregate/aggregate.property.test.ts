import { expect, test } from "vitest";
import { aggregate, type RuleOutcome } from "../../src/aggregate/aggregate.ts";
import { limitReply } from "../../src/aggregate/limit-reply.ts";
import type { HookEvent } from "../../src/event.ts";
import { contractOf, denialWord } from "../../src/events/lookup.ts";
import type { EventName } from "../../src/events/table.ts";
import { type Decision, FAILURE_KINDS, type HookOutcome, type Reply } from "../../src/outcome.ts";
import { ANSWERS, type Rule } from "../../src/rule.ts";
import type { Verdict } from "../../src/verdict.ts";
import fc from "../helpers/fc.ts";
import { makeEvent } from "../helpers/rules.ts";
import { guard, imported, own } from "./rule-outcomes.ts";

const EVENTS = ["PreToolUse", "PermissionRequest", "UserPromptSubmit", "Stop", "PostToolUse", "PreCompact"] as const;
const event = fc
  .constantFrom<EventName>(...EVENTS)
  .map((name) => makeEvent(name, { tool_name: "Bash", tool_input: { command: "ls" } }));

const some = <Key extends string, Value>(key: Key, value: fc.Arbitrary<Value>): fc.Arbitrary<{ [K in Key]?: Value }> =>
  fc
    .option(value, { nil: undefined })
    .map((one) => (one === undefined ? {} : { [key]: one }) as { [K in Key]?: Value });

/** What the parser makes from replies to this event: only words in the event's row. */
function replyTo(name: string): fc.Arbitrary<Reply> {
  const { verdicts, rewrites } = contractOf(name, "claude-code")!;
  const words = verdicts.filter((word): word is Decision => word !== "continue:false");
  return fc
    .tuple(
      words.length === 0 ? fc.constant({}) : some("decision", fc.constantFrom(...words)),
      some("reason", fc.string()),
      verdicts.includes("continue:false") ? some("continue", fc.constant(false)) : fc.constant({}),
      rewrites === "input"
        ? some("updatedInput", fc.record({ command: fc.constantFrom("ls", "ls -l", "rm") }))
        : fc.constant({}),
      some("systemMessage", fc.string()),
    )
    .map((parts) => Object.assign({}, ...parts) as Reply);
}

const receipt = { micros: 1 };
const failure = fc.record({ kind: fc.constantFrom(...FAILURE_KINDS), message: fc.string() });
const outcomeOf = (name: string): fc.Arbitrary<HookOutcome> =>
  fc.oneof(
    replyTo(name).map((reply) => ({ status: "decided", reply, receipt }) as const),
    fc.constant({ status: "abstained", receipt } as const),
    failure.map((one) => ({ status: "failed", failure: one, receipt }) as const),
  );

let count = 0;
const rule: fc.Arbitrary<Rule> = fc
  .tuple(
    fc.constantFrom(own, guard, imported),
    fc.record({
      mode: fc.constantFrom("enforce" as const, "enforce" as const, "monitor" as const),
      compat: fc.constantFrom("safer" as const, "faithful" as const),
      onFailure: fc.constantFrom(undefined, undefined, "block" as const, "continue" as const),
    }),
  )
  .map(([make, parts]) => make(`rule${count++}`, parts));

const outcomeAt = (name: string, look: RuleOutcome["look"]): fc.Arbitrary<RuleOutcome> =>
  fc.record({ rule, outcome: outcomeOf(name), look: fc.constant(look) });

const dispatch: fc.Arbitrary<{ event: HookEvent; first: RuleOutcome[]; second: RuleOutcome[] }> = event.chain((one) =>
  fc.record({
    event: fc.constant(one),
    first: fc.array(outcomeAt(one.name, "first"), { maxLength: 6 }),
    second: fc.array(outcomeAt(one.name, "second"), { maxLength: 4 }),
  }),
);

/** Loosest first: `allow` skips a question that the agent would have asked. */
const TIGHTNESS: readonly Verdict["decision"][] = ["allow", "none", "ask", "defer", "block", "deny"];
function expectNoLooser(tighter: Verdict, looser: Verdict): void {
  expect(TIGHTNESS.indexOf(tighter.decision)).toBeGreaterThanOrEqual(TIGHTNESS.indexOf(looser.decision));
  if (!looser.continue) expect(tighter.continue).toBe(false);
}

test("a denial is never lost, and always names its rule", () => {
  fc.assert(
    fc.property(dispatch, ({ event, first, second }) => {
      const verdict = aggregate(event, [...first, ...second]);
      const denials = [...first, ...second].filter(
        ({ rule, outcome }) =>
          rule.mode === "enforce" &&
          outcome.status === "decided" &&
          (outcome.reply.decision === "deny" || outcome.reply.decision === "block"),
      );
      const rewroteTwice = ({ look, outcome }: RuleOutcome): boolean =>
        look === "second" && outcome.status === "decided" && outcome.reply.updatedInput !== undefined;
      for (const denial of denials.filter((one) => !rewroteTwice(one))) {
        expect(verdict.decision).toBe(denialWord(contractOf(event.name, event.dialect)!));
        expect(verdict.reason).toContain(`${denial.rule.name}: `);
        expect(verdict.updatedInput).toBeNull();
      }
    }),
    { numRuns: 1_000 },
  );
});

test("only an enforced rule's allow allows, and only if every other rule has answered", () => {
  fc.assert(
    fc.property(dispatch, ({ event, first, second }) => {
      const verdict = aggregate(event, [...first, ...second]);
      if (verdict.decision !== "allow") return;
      const allows = first.filter(
        ({ rule, outcome }) =>
          rule.mode === "enforce" && outcome.status === "decided" && outcome.reply.decision === "allow",
      );
      expect(allows).not.toEqual([]);
      expect(verdict.cancelled).toBe(false);
    }),
    { numRuns: 1_000 },
  );
});

test("an enforced guard that may deny and ask never loosens a decision, whatever it answers", () => {
  const added = event.chain((one) =>
    fc.record({
      event: fc.constant(one),
      first: fc.array(outcomeAt(one.name, "first"), { maxLength: 6 }),
      at: fc.nat(6),
      says: outcomeOf(one.name),
      kind: rule,
    }),
  );
  fc.assert(
    fc.property(added, ({ event, first, at, says, kind }) => {
      const newcomer: Rule = { ...kind, mode: "enforce", may: ["deny", "ask"] };
      const outcome = says.status === "decided" ? limitReply(newcomer, { ok: true, ...says }) : says;
      const withIt = first.toSpliced(at, 0, { rule: newcomer, outcome, look: "first" });
      expectNoLooser(aggregate(event, withIt), aggregate(event, first));
    }),
    { numRuns: 1_000 },
  );
});

test("a second look never loosens the first decision", () => {
  fc.assert(
    fc.property(dispatch, ({ event, first, second }) => {
      expectNoLooser(aggregate(event, [...first, ...second]), aggregate(event, first));
    }),
    { numRuns: 1_000 },
  );
});

function frozen<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}

test("the same ruleOutcomes give the same verdict, which depends neither on times nor on earlier calls", () => {
  fc.assert(
    fc.property(dispatch, fc.nat(), ({ event, first, second }, micros) => {
      const ruleOutcomes = frozen([...first, ...second]);
      const slower = ruleOutcomes.map((one) => ({ ...one, outcome: { ...one.outcome, receipt: { micros } } }));
      const { rules: _, ...verdict } = aggregate(frozen(event), ruleOutcomes);
      const { rules: __, ...again } = aggregate(event, slower);
      expect(again).toEqual(verdict);
    }),
    { numRuns: 500 },
  );
});

test("rules in monitor mode affect only their reports in a verdict", () => {
  fc.assert(
    fc.property(dispatch, ({ event, first }) => {
      const heard = first.filter(({ outcome }) => outcome.status !== "failed" || outcome.failure.kind !== "cancelled");
      const { rules: _, ...verdict } = aggregate(event, heard);
      const { rules: __, ...without } = aggregate(
        event,
        heard.filter((one) => one.rule.mode === "enforce"),
      );
      expect(verdict).toEqual(without);
    }),
    { numRuns: 500 },
  );
});

const failing = (name: EventName, kinds: readonly (typeof own)[]) =>
  fc.record({
    first: fc.array(outcomeAt(name, "first"), { maxLength: 4 }),
    at: fc.nat(4),
    make: fc.constantFrom(...kinds),
    compat: fc.constantFrom("safer" as const, "faithful" as const),
    may: fc.subarray([...ANSWERS]),
    onFailure: fc.constantFrom(undefined, "block" as const),
    failure: failure.filter(({ kind }) => kind !== "cancelled"),
  });

test("a failing rule of hookbox's own format always denies at PreToolUse, whatever others answer", () => {
  const tool = makeEvent("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } });
  fc.assert(
    fc.property(failing("PreToolUse", [own, guard]), ({ first, at, make, failure, ...parts }) => {
      const rule = make("failing", parts);
      const outcome: HookOutcome = { status: "failed", failure, receipt };
      const verdict = aggregate(tool, first.toSpliced(at, 0, { rule, outcome, look: "first" }));
      expect(verdict.decision).toBe("deny");
      expect(verdict.reason).toContain(`failing: ${failure.kind}: `);
    }),
    { numRuns: 500 },
  );
});

test("no failure ever blocks at Stop, where a block would keep the agent going", () => {
  fc.assert(
    fc.property(failing("Stop", [own, guard, imported]), ({ make, failure, ...parts }) => {
      const rule = make("failing", { onFailure: parts.onFailure, compat: parts.compat });
      const outcome: HookOutcome = { status: "failed", failure, receipt };
      const verdict = aggregate(makeEvent("Stop"), [{ rule, outcome, look: "first" }]);
      expect(verdict).toMatchObject({ decision: "none", continue: true });
    }),
    { numRuns: 500 },
  );
});
