import type { EventContract } from "../events/contract.ts";
import type { EventBudget } from "../executors/bounded-run.ts";
import type { Failure } from "../outcome.ts";
import type { Rule } from "../rule.ts";

/** Of an event whose rules run one after another, when nobody says otherwise. */
const DEFAULT_BUDGET_MS = 60_000;

/**
 * The bound on a whole event. Rules that start together are bounded by their own deadlines; of rules in a row each has
 * its own, and only the event's bounds their sum. The default leaves the slowest rule its time.
 */
export function budgetFor(
  rules: readonly Rule[],
  contract: EventContract,
  startedAt: number,
  limitMs: number | undefined,
): EventBudget | undefined {
  if (limitMs !== undefined) return { startedAt, limitMs };
  if (contract.order === "parallel") return undefined;
  return { startedAt, limitMs: Math.max(DEFAULT_BUDGET_MS, ...rules.map((rule) => rule.timeoutMs)) };
}

/** Why a rule fails that does not get its turn, or `undefined` while there is time left. */
export function budgetSpent(budget: EventBudget | undefined): Failure | undefined {
  if (budget === undefined) return undefined;
  const spentMs = performance.now() - budget.startedAt;
  if (spentMs < budget.limitMs) return undefined;
  return {
    kind: "timeout",
    message: `the event's budget of ${budget.limitMs} ms was spent before the rule's turn`,
    limit: budget.limitMs,
    value: Math.round(spentMs),
  };
}
