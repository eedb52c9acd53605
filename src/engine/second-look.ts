import { aggregate, type RuleOutcome } from "../aggregate/aggregate.ts";
import { Rewrites } from "../aggregate/rewrites.ts";
import type { HookEvent } from "../event.ts";
import type { Rule } from "../rule.ts";
import { aheadOf, lookAhead } from "./lanes.ts";
import { lookInOrder, lookTogether } from "./look.ts";
import type { RuleRunner, RuleRunOptions } from "./run-rule.ts";

/**
 * Runs a second look after a rewrite, so that the new input does not bypass a rule. All enforcing rules that match the
 * final input judge it, except rules that have already judged exactly this input. Runs nothing if the first look
 * refused the action.
 */
export async function runSecondLook(
  runner: RuleRunner,
  select: (event: HookEvent) => readonly Rule[],
  event: HookEvent,
  first: readonly RuleOutcome[],
  runOptions: RuleRunOptions,
): Promise<RuleOutcome[]> {
  const rewrites = Rewrites.among(event, runOptions.contract, first);
  const input = rewrites?.changedInput;
  if (rewrites === undefined || input === undefined) return [];
  const { decision } = aggregate(event, first);
  if (decision === "deny" || decision === "block") return [];

  const judged = new Set(first.filter((one) => rewrites.hasJudged(one, input)).map(({ rule }) => rule));
  const rewritten: HookEvent = { ...event, payload: { ...event.payload, tool_input: input } };
  const rules = select(rewritten).filter((rule) => rule.mode === "enforce" && !rule.async && !judged.has(rule));
  const again = { ...runOptions, isFirst: false };
  const ahead = aheadOf(rules, rewritten);
  const usual = rules.filter((rule) => !ahead.includes(rule));
  const early = ahead.length === 0 ? [] : await lookAhead(runner, ahead, rewritten, "second", again, usual);
  const look = runOptions.contract.order === "parallel" ? lookTogether : lookInOrder;
  return [...early, ...(await look(runner, usual, rewritten, "second", again))];
}
