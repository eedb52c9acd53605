import { aggregate, type Judgement } from "../aggregate/aggregate.ts";
import type { HookEvent } from "../event.ts";
import { contractOf, hasLanes } from "../events/lookup.ts";
import type { RuleIndex } from "../matcher/rule-index.ts";
import { type Rule, trustOf } from "../rule.ts";
import { lookAlong, lookTogether } from "./look.ts";
import type { RuleRunner, RunTerms } from "./run-rule.ts";

type Select = (event: HookEvent) => readonly Rule[];

/**
 * The first look at an event. Rules of the preempt lane are asked side by side, before all others. A refusal of theirs is
 * the verdict; their permission is advice, which `aggregate` drops.
 */
export async function lookByLane(
  runner: RuleRunner,
  index: RuleIndex,
  select: Select,
  event: HookEvent,
  terms: RunTerms,
): Promise<Judgement[]> {
  const rules = select(event);
  const ahead = aheadOf(rules, event);
  if (ahead.length === 0) return lookAtLane(runner, index, select, event, terms);
  const usual = rules.filter((rule) => !ahead.includes(rule));
  const early = await lookAhead(runner, ahead, event, "first", terms, usual);
  if (isSettled(event, early)) {
    // Async rules hear of refused calls as well.
    const listening = usual.filter((rule) => rule.async);
    return [...early, ...(await lookTogether(runner, listening, event, "first", terms))];
  }
  const question = trustOfQuestion(early);
  const left: Select = (shown) =>
    select(shown).filter((rule) => rule.lane !== "preempt" && !ahead.includes(rule) && !yieldsTo(question, rule));
  return [...early, ...(await lookAtLane(runner, index, left, event, { ...terms, isFirst: false }))];
}

function lookAtLane(
  runner: RuleRunner,
  index: RuleIndex,
  select: Select,
  event: HookEvent,
  terms: RunTerms,
): Promise<Judgement[]> {
  return terms.contract.order === "parallel"
    ? lookTogether(runner, select(event), event, "first", terms)
    : lookAlong(runner, index, select, event, terms);
}

/** Asks rules of the preempt lane. `behind` are the rules that are asked after them, within the same patience. */
export function lookAhead(
  runner: RuleRunner,
  ahead: readonly Rule[],
  event: HookEvent,
  look: Judgement["look"],
  terms: RunTerms,
  behind: readonly Rule[] = [],
): Promise<Judgement[]> {
  const contract = contractOf(event.name, event.dialect, "preempt") ?? terms.contract;
  return lookTogether(runner, ahead, { ...event, lane: "preempt" }, look, { ...terms, contract }, behind);
}

/**
 * The rules that are asked ahead of the others. Empty without a rule of the preempt lane, and at events without lanes.
 * Rules that could not be loaded are among them, because the lane that they were meant for is not known.
 */
export function aheadOf(rules: readonly Rule[], event: HookEvent): readonly Rule[] {
  const isSplit = event.lane === undefined && rules.some(({ lane }) => lane === "preempt");
  if (!isSplit || !hasLanes(event.name, event.dialect)) return [];
  return rules.filter(({ lane, handler }) => lane === "preempt" || handler.type === "broken");
}

function isSettled(event: HookEvent, judgements: readonly Judgement[]): boolean {
  const { decision, continue: goesOn, cancelled } = aggregate(event, judgements);
  return cancelled || !goesOn || decision === "deny" || decision === "block";
}

/** How far the most trusted rule is trusted that wants the user to be asked; `undefined` if none does. */
export function trustOfQuestion(judgements: readonly Judgement[]): number | undefined {
  const asking = judgements.filter(
    ({ rule, outcome }) => rule.mode === "enforce" && outcome.status === "decided" && outcome.reply.decision === "ask",
  );
  return asking.length === 0 ? undefined : Math.max(...asking.map(({ rule }) => trustOf(rule.layer)));
}

/**
 * Whether a rule of the default lane is not asked because the preempt lane has asked for the user, as an agent's page
 * has it. The question of a less trusted rule does not keep a rule from refusing.
 */
export function yieldsTo(question: number | undefined, { event, dialect, compat, layer }: Rule): boolean {
  if (question === undefined || trustOf(layer) > question) return false;
  return contractOf(event, dialect, undefined, compat)?.yieldsToQuestion === true;
}
