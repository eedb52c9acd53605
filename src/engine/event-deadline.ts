import { DIALECTS } from "../dialects/registry.ts";
import { outOfPatience, type Patience, patienceForWork, patienceOf } from "../executors/run-clock.ts";
import { sideOf } from "../layer-trust.ts";
import type { Failure } from "../outcome.ts";
import type { Rule } from "../rule.ts";

/** The patience for agents that document no patience. */
const USUAL_PATIENCE_MS = 60_000;

/** Returns how long an agent waits for a hook process by default. */
export function usualPatienceMs(dialect: string | undefined, eventName: string | undefined): number {
  return DIALECTS[dialect ?? ""]?.patienceMs?.(eventName) ?? USUAL_PATIENCE_MS;
}

/**
 * Returns the patience of one event. The default is the agent's usual patience, or a longer timeout of a rule. A slow
 * rule from a repository extends the patience only if no more trusted rule runs for the event. Otherwise the agent
 * might stop waiting and lose the more trusted rule's refusal.
 */
export function patienceFor(
  rules: readonly Rule[],
  startedAt: number,
  statedMs: number | undefined,
  usualMs: number,
): Patience {
  if (statedMs !== undefined) return patienceOf(statedMs, startedAt);
  const own = rules.filter((rule) => sideOf(rule) === "own");
  return patienceForWork(own.length === 0 ? rules : own, startedAt, usualMs);
}

/** Returns the failure of a rule that would start after the end of patience; `undefined` if time is left. */
export function patienceSpent(patience: Patience, isFirst: boolean): Failure | undefined {
  const spentMs = performance.now() - patience.startedAt;
  return spentMs < patience.answerMs ? undefined : outOfPatience(patience, isFirst ? "start" : "queue", spentMs);
}
