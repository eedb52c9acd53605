import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aggregate } from "../../src/aggregate/aggregate.ts";
import type { RuleOutcome } from "../../src/aggregate/rule-outcome.ts";
import type { Compat } from "../../src/codec.ts";
import type { Failure, FailureKind, HookOutcome } from "../../src/outcome.ts";
import type { OnFailure, Rule } from "../../src/rule.ts";
import { makeEvent, makeRule } from "../helpers/rules.ts";
import { sampleOf } from "../helpers/tier.ts";
import {
  type Cell,
  expectedMeaning,
  FAULT_DIALECTS,
  FAULT_EVENT_NAMES,
  type FaultDialect,
  type FaultEvent,
  factsOf,
  fires,
  wordFor,
} from "./expected-meaning.ts";
import { FAULTS, type Fault } from "./faults.ts";
import { problemsOf } from "./held-against.ts";
import { FaultRunner, type Induced, inducedAt, payloadOf } from "./induced-faults.ts";

/**
 * Every kind of hook fails in every possible way, for real, at a gate, at an event where "no" means "go on" and at an
 * observer, in every dialect. The results are then combined with all events, policies and dialects, and compared with a
 * table that was written from the agents' pages.
 */

const COMPATS: readonly Compat[] = ["safer", "faithful"];
const ON_FAILURE: readonly (OnFailure | undefined)[] = [undefined, "block", "continue", "ignore"];
const AT_ONCE = 12;

interface Attempt {
  readonly fault: Fault;
  readonly ruleDialect: FaultDialect;
  readonly eventDialect: FaultDialect;
}

/** These have their own replies, which the sweep covers; for the engine one fault of each kind is sufficient. */
const ONE_OF_EACH_KIND: readonly FaultDialect[] = ["agentao", "autohand", "openclaw"];

/** Each fault in its own rule's dialect; one of each type and kind in the other agents' dialects, too. */
const ALL_ATTEMPTS: readonly Attempt[] = FAULTS.flatMap((fault) => {
  const isFirstOfKind = FAULTS.find(({ kind }) => kind === fault.kind) === fault;
  const isFirst = FAULTS.find(({ type, kind }) => type === fault.type && kind === fault.kind) === fault;
  const home = fault.dialects.map((dialect): Attempt => ({ fault, ruleDialect: dialect, eventDialect: dialect }));
  const abroad = FAULT_DIALECTS.filter((dialect) =>
    ONE_OF_EACH_KIND.includes(dialect) ? isFirstOfKind : isFirst && dialect !== "hookbox",
  );
  const isOurs = fault.dialects.includes("hookbox");
  return [
    ...home,
    ...(isOurs ? abroad.map((eventDialect): Attempt => ({ fault, ruleDialect: "hookbox", eventDialect })) : []),
  ].filter(({ ruleDialect, eventDialect }) => inducedAt(fault, ruleDialect, eventDialect).length > 0);
});

const isAtHome = ({ ruleDialect, eventDialect }: Attempt): boolean => ruleDialect === eventDialect;
const ATTEMPTS = sampleOf(
  ALL_ATTEMPTS,
  4,
  (one) => `${one.fault.type} ${one.fault.kind} ${isAtHome(one) ? one.ruleDialect : "abroad"}`,
);

const titleOf = ({ fault, ruleDialect, eventDialect }: Attempt): string =>
  `${fault.type} ${fault.name} (${ruleDialect}, asked by ${eventDialect})`;

let runner: FaultRunner;
const induced = new Map<Attempt, readonly Induced[]>();

beforeAll(async () => {
  runner = await FaultRunner.open();
  const waiting = [...ATTEMPTS];
  const work = async (): Promise<void> => {
    for (let attempt = waiting.shift(); attempt !== undefined; attempt = waiting.shift()) {
      induced.set(attempt, await runner.induce(attempt.fault, attempt.ruleDialect, attempt.eventDialect));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}, 120_000);
afterAll(() => runner?.close());

const isOurs = (rule: Rule): boolean => rule.handler.type === "wasm" || rule.handler.type === "broken";

describe("a fault that is caused for real", () => {
  test.each(ATTEMPTS.map((attempt) => [titleOf(attempt), attempt] as const))("%s", (_, attempt) => {
    const { fault, ruleDialect, eventDialect } = attempt;
    const seen = induced.get(attempt) ?? [];
    expect(seen).toHaveLength(inducedAt(fault, ruleDialect, eventDialect).length);
    for (const { event, rule, verdict } of seen) {
      expect(verdict.rules, event).toHaveLength(1);
      const failure = verdict.rules[0]?.failure;
      expect(failure, event).toMatchObject({ kind: fault.kind });
      const cell: Cell = {
        event,
        eventDialect,
        ruleDialect,
        isOurs: isOurs(rule),
        kind: fault.kind,
        compat: "safer",
        onFailure: undefined,
      };
      expect({ event, problems: problemsOf(cell, rule.name, failure as Failure, verdict) }).toEqual({
        event,
        problems: [],
      });
    }
  });

  test("a failure by a limit contains the limit and the value", () => {
    const numbers = [...induced.values()].flat().flatMap(({ fault, verdict }) => {
      const failure = verdict.rules[0]?.failure;
      return failure?.limit === undefined ? [] : [{ fault, failure }];
    });
    const wrong = numbers.filter(({ failure }) => {
      const { limit, value, message } = failure;
      const isNamed = [limit, value].some((number) => number !== undefined && message.includes(String(number)));
      // The depth of a call is not known, nor the length of an answer that a provider has cut off.
      const isKnown = failure.kind !== "stack" && failure.kind !== "invalid-output";
      return !isNamed || (isKnown && (value === undefined || value < (limit ?? 0)));
    });
    expect(wrong.map(({ fault, failure }) => ({ fault: fault.name, ...failure }))).toEqual([]);
    expect([...new Set(numbers.map(({ failure }) => failure.kind))].sort()).toEqual([
      "capability",
      "exit",
      "fuel",
      "invalid-output",
      "memory",
      "output-too-large",
      "stack",
      "timeout",
      "turns",
      "unavailable",
    ]);
  });

  test("every kind of failure that a hook can have is covered", () => {
    const kinds = new Set([...induced.values()].flat().flatMap(({ verdict }) => verdict.rules[0]?.failure?.kind ?? []));
    expect([...kinds].sort()).toEqual(
      (
        [
          "cancelled",
          "capability",
          "exit",
          "fuel",
          "integrity",
          "invalid-output",
          "memory",
          "no-output",
          "output-too-large",
          "signal",
          "spawn",
          "stack",
          "timeout",
          "trap",
          "turns",
          "unavailable",
        ] satisfies FailureKind[]
      ).sort(),
    );
  });
});

interface Swept {
  readonly cell: Cell;
  /** A function, because the title of one of a hundred thousand cells is needed only for a failure. */
  readonly title: () => string;
  readonly rule: Rule;
  readonly failure: Failure;
  readonly outcome: HookOutcome;
}

/** The asking agent does not change the failure, and all failures of one type and kind are equal. */
function oneOfEach(): ReadonlyMap<string, readonly [Attempt, Induced]> {
  const found = new Map<string, readonly [Attempt, Induced]>();
  for (const [attempt, [first]] of induced) {
    const { fault, ruleDialect } = attempt;
    const key = `${fault.type} ${fault.kind} ${ruleDialect}`;
    if (isAtHome(attempt) && first !== undefined && !found.has(key)) found.set(key, [attempt, first]);
  }
  return found;
}

/** The results of a fault at a gate, in every possible cell. */
function* swept(events: readonly FaultEvent[]): Generator<Swept> {
  for (const [attempt, first] of oneOfEach().values()) {
    const report = first.verdict.rules[0];
    if (report?.failure === null || report?.failure === undefined) throw new Error(`no failure: ${titleOf(attempt)}`);
    const { failure, receipt } = report;
    const outcome: HookOutcome = { status: "failed", failure, receipt };
    const isBroken = first.rule.handler.type === "broken";
    // A guard is hookbox's own rule, whatever file it is in.
    const homes = first.rule.handler.type === "wasm" ? FAULT_DIALECTS : [attempt.ruleDialect];
    // The onFailure of a rule that could not be read is not known.
    const policies = isBroken ? [undefined] : ON_FAILURE;
    for (const [event, ruleDialect] of crossed(events, homes)) {
      if (!fires(ruleDialect, event)) continue;
      for (const [compat, onFailure] of crossed(COMPATS, policies)) {
        const rule: Rule = { ...first.rule, event, dialect: ruleDialect, compat, onFailure };
        const { kind } = attempt.fault;
        for (const eventDialect of FAULT_DIALECTS) {
          if (!fires(eventDialect, event)) continue;
          const cell: Cell = { event, eventDialect, ruleDialect, isOurs: isOurs(rule), kind, compat, onFailure };
          const title = (): string =>
            `${titleOf({ ...attempt, ruleDialect, eventDialect })} at ${event}, ${compat}, ${onFailure}`;
          yield { cell, title, rule, failure, outcome };
        }
      }
    }
  }
}

function* crossed<A, B>(as: readonly A[], bs: readonly B[]): Generator<readonly [A, B]> {
  for (const a of as) for (const b of bs) yield [a, b];
}

const first = (rule: Rule, outcome: HookOutcome): RuleOutcome => ({ rule, outcome, look: "first" });

const eventsMade = new Map<string, ReturnType<typeof makeEvent>>();
function eventOf({ event, eventDialect }: Cell): ReturnType<typeof makeEvent> {
  const key = `${event} ${eventDialect}`;
  const made = eventsMade.get(key) ?? makeEvent(event, payloadOf(event), eventDialect);
  eventsMade.set(key, made);
  return made;
}

const SWEPT = sampleOf(FAULT_EVENT_NAMES, 4, (name) => factsOf(name).category);

describe("all combinations", () => {
  test.each(SWEPT)("%s: each failure means what the table says, and is reported so", (name) => {
    const wrong: string[] = [];
    let cells = 0;
    for (const { cell, title, rule, failure, outcome } of swept([name])) {
      const verdict = aggregate(eventOf(cell), [first(rule, outcome)]);
      wrong.push(...problemsOf(cell, rule.name, failure, verdict).map((problem) => `${title()}: ${problem}`));
      cells += 1;
    }
    expect(wrong.slice(0, 20)).toEqual([]);
    expect(cells).toBeGreaterThan(500);
  });

  test.each(["PreToolUse", "PermissionRequest", "ToolGuard"] as const)(
    "%s: another rule's permission opens nothing that a failure shuts",
    (name) => {
      const allows = makeRule({ name: "the optimist", event: name });
      const permission: HookOutcome = { status: "decided", reply: { decision: "allow" }, receipt: { micros: 1 } };
      const wrong: string[] = [];
      for (const { cell, title, rule, outcome } of swept([name])) {
        const isCancelled = cell.kind === "cancelled";
        const expected = isCancelled ? "none" : expectedMeaning(cell) === "shut" ? "deny" : "allow";
        for (const order of [
          [first(rule, outcome), first(allows, permission)],
          [first(allows, permission), first(rule, outcome)],
        ]) {
          const { decision } = aggregate(eventOf(cell), order);
          if (decision !== expected) wrong.push(`${title()}: ${decision}, not ${expected}`);
        }
      }
      expect(wrong.slice(0, 20)).toEqual([]);
    },
  );

  test("a rule in monitor mode, or an async one, refuses nothing by failing", () => {
    const wrong: string[] = [];
    for (const { cell, title, rule, outcome } of swept(["ToolGuard", "UserPromptSubmit", "Stop"])) {
      for (const aside of [{ mode: "monitor" }, { async: true }] as const) {
        const verdict = aggregate(eventOf(cell), [first({ ...rule, ...aside }, outcome)]);
        if (verdict.decision !== "none" || !verdict.continue || verdict.reason !== null) wrong.push(title());
      }
    }
    expect(wrong.slice(0, 20)).toEqual([]);
  });

  test("a failure in the second look, after a rewrite, means the same", () => {
    const wrong: string[] = [];
    const rewriter = makeRule({ name: "the rewriter" });
    const rewrite: HookOutcome = {
      status: "decided",
      reply: { updatedInput: { command: "ls -l" } },
      receipt: { micros: 1 },
    };
    const silent: HookOutcome = { status: "abstained", receipt: { micros: 1 } };
    for (const { cell, title, rule, outcome } of swept(["PreToolUse"])) {
      if (cell.kind === "cancelled") continue;
      const ruleOutcomes: RuleOutcome[] = [
        first(rewriter, rewrite),
        first(rule, silent),
        { rule, outcome, look: "second" },
      ];
      const { decision, updatedInput } = aggregate(eventOf(cell), ruleOutcomes);
      const isShut = expectedMeaning(cell) === "shut";
      if (decision !== (isShut ? "deny" : "none") || (updatedInput === null) !== isShut) wrong.push(title());
    }
    expect(wrong.slice(0, 20)).toEqual([]);
  });
});

describe("the table itself", () => {
  test("contains every kind of expectation", () => {
    const seen = new Set<string>();
    for (const { cell } of swept(FAULT_EVENT_NAMES)) {
      seen.add(`${cell.ruleDialect} ${factsOf(cell.event).category} ${cell.compat} ${expectedMeaning(cell)}`);
    }
    for (const dialect of FAULT_DIALECTS)
      for (const compat of COMPATS) {
        expect(seen).toContain(`${dialect} gate ${compat} shut`);
        expect(seen).toContain(`${dialect} gate ${compat} open`);
        expect(seen).toContain(`${dialect} go on ${compat} open`);
        expect(seen).not.toContain(`${dialect} go on ${compat} shut`);
      }
  });

  test("has a word for every refusal that it expects", () => {
    const speechless = new Set<string>();
    for (const { cell, title } of swept(FAULT_EVENT_NAMES)) {
      if (expectedMeaning(cell) === "shut" && wordFor(cell.event, cell.eventDialect) === null) speechless.add(title());
    }
    expect([...speechless].slice(0, 20)).toEqual([]);
  });
});
