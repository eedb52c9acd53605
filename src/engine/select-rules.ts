import type { HookEvent } from "../event.ts";
import type { RuleIndex } from "../matcher/rule-index.ts";
import type { MatchingBudget } from "../matcher/steps.ts";
import type { Rule } from "../rule.ts";
import type { DispatchOptions } from "./options.ts";

/** Returns the rules that match an event and that the caller's options select, in verdict order. */
export function selectRules(
  index: RuleIndex,
  event: HookEvent,
  { lane, only, layers }: Pick<DispatchOptions, "lane" | "only" | "layers">,
  budget?: MatchingBudget,
): readonly Rule[] {
  const rules = index.select(event, budget);
  if (lane === undefined && only === undefined && layers === undefined) return rules;
  return rules.filter(
    (rule) =>
      inLane(rule, lane) &&
      (only === undefined || rule.async === (only === "async")) &&
      (layers === undefined || layers.includes(rule.layer)),
  );
}

/** Whether a rule belongs to a lane. A broken rule belongs to both lanes, because its intended lane is unknown. */
function inLane(rule: Rule, lane: DispatchOptions["lane"]): boolean {
  if (lane === undefined || rule.handler.type === "broken") return true;
  return (rule.lane === "preempt") === (lane === "preempt");
}
