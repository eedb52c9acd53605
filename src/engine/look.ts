import { Rewrites } from "../aggregate/rewrites.ts";
import type { RuleOutcome } from "../aggregate/rule-outcome.ts";
import type { HookEvent } from "../event.ts";
import type { EventContract } from "../events/contract.ts";
import { eventLoopPauses } from "../executors/event-loop-pauses.ts";
import { mayComeWithRepository, mostTrustedFirst, sideOf } from "../layer-trust.ts";
import type { RuleIndex } from "../matcher/rule-index.ts";
import type { HookOutcome } from "../outcome.ts";
import type { Rule } from "../rule.ts";
import { PatienceShares } from "./patience-shares.ts";
import type { RuleRunner, RuleRunOptions } from "./run-rule.ts";

type Look = (
  runner: RuleRunner,
  rules: readonly Rule[],
  event: HookEvent,
  look: RuleOutcome["look"],
  runOptions: RuleRunOptions,
  behind?: readonly Rule[],
) => Promise<RuleOutcome[]>;

/**
 * Runs all rules of an event in parallel. Returns the ruleOutcomes in the order of the rules. More trusted rules start
 * first, regardless of priority, because guards wait for threads in the order of their start. `behind` are rules that
 * run after these, within the same patience.
 */
export const lookTogether: Look = async (runner, rules, event, look, runOptions, behind = []) => {
  const starting = rules.some(({ layer }) => mayComeWithRepository(layer)) ? mostTrustedFirst(rules) : rules;
  const time = behind.length === 0 ? undefined : new PatienceShares(runOptions.patience);
  const runOptionsFor = (rule: Rule): RuleRunOptions =>
    time === undefined ? runOptions : { ...runOptions, patience: time.patienceFor(rule, behind) };
  const outcomes = new Map<Rule, Promise<HookOutcome>>();
  const running = new Set<Promise<HookOutcome>>();
  const pause = eventLoopPauses();
  for (const rule of starting) {
    // Starting a thousand processes blocks this thread for seconds, so the loop pauses to read answers and run timers.
    // Background rules start without pauses, because their limit counts rules that start together.
    const paused = rule.async ? undefined : pause();
    if (paused !== undefined) await paused;
    const isProjects = sideOf(rule) === "project" && !rule.async;
    if (isProjects && running.size === MAX_OF_PROJECT) await Promise.race(running);
    const outcome = runner.run(rule, event, runOptionsFor(rule));
    outcomes.set(rule, outcome);
    if (!isProjects) continue;
    running.add(outcome);
    void outcome.then(() => running.delete(outcome));
  }
  return Promise.all(rules.map(async (rule) => ({ rule, outcome: (await outcomes.get(rule)) as HookOutcome, look })));
};

/**
 * How many rules of project files run at once. Each rule may be a process, and all processes must be stopped at the end
 * of patience.
 */
const MAX_OF_PROJECT = 64;

/** Runs rules one after another on the same event. */
export const lookInOrder: Look = async (runner, rules, event, look, runOptions) => {
  const ruleOutcomes: RuleOutcome[] = [];
  const time = new PatienceShares(runOptions.patience);
  for (const [index, rule] of rules.entries()) {
    const patience = time.patienceFor(rule, rules.slice(index + 1));
    const outcome = await runner.run(rule, event, {
      ...runOptions,
      patience,
      isFirst: runOptions.isFirst && index === 0,
    });
    ruleOutcomes.push({ rule, outcome, look });
  }
  return ruleOutcomes;
};

/**
 * Runs rules one after another. Each rule sees the rewrites of the rules before it. After a rewrite, the remaining
 * rules are selected again, because a condition applies to the input that the rule will see.
 */
export async function lookAlong(
  runner: RuleRunner,
  index: RuleIndex,
  select: (event: HookEvent) => readonly Rule[],
  event: HookEvent,
  runOptions: RuleRunOptions,
): Promise<RuleOutcome[]> {
  const rewrites = new Rewrites(event, runOptions.contract);
  const ruleOutcomes: RuleOutcome[] = [];
  let shown = event;
  let waiting = select(event);
  const time = new PatienceShares(runOptions.patience);
  for (let rule = waiting[0]; rule !== undefined; rule = waiting[0]) {
    const patience = time.patienceFor(rule, waiting.slice(1));
    const isFirst = runOptions.isFirst && ruleOutcomes.length === 0;
    const outcome = await runner.run(rule, shown, { ...runOptions, patience, isFirst });
    const ruleOutcome: RuleOutcome = { rule, outcome, look: "first" };
    ruleOutcomes.push(ruleOutcome);
    if (isEnd(ruleOutcome, runOptions.contract)) break;
    waiting = waiting.slice(1);
    if (rewrites.take(ruleOutcome)) {
      const ran = rule;
      shown = rewrites.event;
      const haveRun = new Set(ruleOutcomes.map((one) => one.rule));
      const behind = index.rules.slice(index.rules.findIndex((one) => isCopy(one, ran)) + 1);
      waiting = inTheirPlaces(behind, select(shown)).filter((one) => !haveRun.has(one));
    }
  }
  return ruleOutcomes;
}

/** Whether the outcome of a rule ends the look. A rule in monitor mode never ends it. */
function isEnd({ rule, outcome }: RuleOutcome, { endsAt }: EventContract): boolean {
  if (endsAt === null || rule.mode !== "enforce" || outcome.status !== "decided") return false;
  const { reply } = outcome;
  if (reply.continue === false) return true;
  return endsAt === "refusal" && (reply.decision === "deny" || reply.decision === "block");
}

/**
 * Returns the selected rules that are in `row`, in the order of `row`. A rule that is configured twice may have
 * different copies in `row` and `selected`. The selected copy takes the place of the first copy.
 */
function inTheirPlaces(row: readonly Rule[], selected: readonly Rule[]): readonly Rule[] {
  return selected
    .map((rule) => ({ rule, place: row.findIndex((one) => isCopy(one, rule)) }))
    .filter(({ place }) => place >= 0)
    .sort((one, other) => one.place - other.place)
    .map(({ rule }) => rule);
}

function isCopy(one: Rule, other: Rule): boolean {
  return one === other || (one.identity !== undefined && one.identity === other.identity && one.event === other.event);
}
