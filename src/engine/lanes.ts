import { aggregate, type RuleOutcome } from "../aggregate/aggregate.ts";
import type { HookEvent } from "../event.ts";
import { contractOf, hasLanes } from "../events/lookup.ts";
import { trustOf } from "../layer-trust.ts";
import type { RuleIndex } from "../matcher/rule-index.ts";
import type { Rule } from "../rule.ts";
import { lookAlong, lookTogether } from "./look.ts";
import type { RuleRunner, RuleRunOptions } from "./run-rule.ts";

type Select = (event: HookEvent) => readonly Rule[];

/**
 * Runs the first look at an event. Rules of the preempt lane run in parallel, before all other rules. A refusal in the
 * preempt lane is the verdict. A permission in the preempt lane is advice, which `aggregate` drops.
 */
export async function lookByLane(
  runner: RuleRunner,
  index: RuleIndex,
  select: Select,
  event: HookEvent,
  runOptions: RuleRunOptions,
): Promise<RuleOutcome[]> {
  const rules = select(event);
  const ahead = aheadOf(rules, event);
  if (ahead.length === 0) return lookAtLane(runner, index, select, event, runOptions);
  const usual = rules.filter((rule) => !ahead.includes(rule));
  const early = await lookAhead(runner, ahead, event, "first", runOptions, usual);
  if (isSettled(event, early)) {
    // Async rules also observe refused calls.
    const listening = usual.filter((rule) => rule.async);
    return [...early, ...(await lookTogether(runner, listening, event, "first", runOptions))];
  }
  const question = trustOfQuestion(early);
  const left: Select = (shown) =>
    select(shown).filter((rule) => rule.lane !== "preempt" && !ahead.includes(rule) && !yieldsTo(question, rule));
  return [...early, ...(await lookAtLane(runner, index, left, event, { ...runOptions, isFirst: false }))];
}

function lookAtLane(
  runner: RuleRunner,
  index: RuleIndex,
  select: Select,
  event: HookEvent,
  runOptions: RuleRunOptions,
): Promise<RuleOutcome[]> {
  return runOptions.contract.order === "parallel"
    ? lookTogether(runner, select(event), event, "first", runOptions)
    : lookAlong(runner, index, select, event, runOptions);
}

/** Runs rules of the preempt lane. `behind` are the rules that run afterwards, within the same patience. */
export function lookAhead(
  runner: RuleRunner,
  ahead: readonly Rule[],
  event: HookEvent,
  look: RuleOutcome["look"],
  runOptions: RuleRunOptions,
  behind: readonly Rule[] = [],
): Promise<RuleOutcome[]> {
  const contract = contractOf(event.name, event.dialect, "preempt") ?? runOptions.contract;
  return lookTogether(runner, ahead, { ...event, lane: "preempt" }, look, { ...runOptions, contract }, behind);
}

/**
 * Returns the rules of the preempt lane. Includes broken rules, because their intended lane is unknown. Returns an
 * empty list if the event has no lanes.
 */
export function aheadOf(rules: readonly Rule[], event: HookEvent): readonly Rule[] {
  const isSplit = event.lane === undefined && rules.some(({ lane }) => lane === "preempt");
  if (!isSplit || !hasLanes(event.name, event.dialect)) return [];
  return rules.filter(({ lane, handler }) => lane === "preempt" || handler.type === "broken");
}

function isSettled(event: HookEvent, ruleOutcomes: readonly RuleOutcome[]): boolean {
  const { decision, continue: goesOn, cancelled } = aggregate(event, ruleOutcomes);
  return cancelled || !goesOn || decision === "deny" || decision === "block";
}

/** Returns the trust of the most trusted rule that asks for the user, or `undefined` if no rule asks. */
export function trustOfQuestion(ruleOutcomes: readonly RuleOutcome[]): number | undefined {
  const asking = ruleOutcomes.filter(
    ({ rule, outcome }) => rule.mode === "enforce" && outcome.status === "decided" && outcome.reply.decision === "ask",
  );
  return asking.length === 0 ? undefined : Math.max(...asking.map(({ rule }) => trustOf(rule.layer)));
}

/**
 * Whether a rule of the default lane is skipped because a rule of the preempt lane asked for the user. An agent's
 * documentation describes this order. A less trusted rule's question does not keep a rule from refusing.
 */
export function yieldsTo(question: number | undefined, { event, dialect, compat, layer }: Rule): boolean {
  if (question === undefined || trustOf(layer) > question) return false;
  return contractOf(event, dialect, undefined, compat)?.yieldsToQuestion === true;
}
