import { DIALECTS } from "../dialects/registry.ts";
import { outOfPatience, type Patience, patienceForWork, patienceOf } from "../executors/run-clock.ts";
import type { Failure } from "../outcome.ts";
import { type Rule, sideOf } from "../rule.ts";

/** How long the hook process of an agent may take that documents nothing. */
const USUAL_PATIENCE_MS = 60_000;

/** How long an agent waits for a hook process, unless its own configuration says otherwise. */
export function usualPatienceMs(dialect: string | undefined, eventName: string | undefined): number {
  return DIALECTS[dialect ?? ""]?.patienceMs?.(eventName) ?? USUAL_PATIENCE_MS;
}

/**
 * The patience of one event. If the caller and the configuration say nothing, the agent's usual patience, or more: a
 * rule that is configured to work for longer gets its time. A repository's slow rule does not get it beside a more trusted
 * rule, because a verdict after the end of the agent's patience loses that rule's refusal.
 */
export function patienceFor(
  rules: readonly Rule[],
  startedAt: number,
  saidMs: number | undefined,
  usualMs: number,
): Patience {
  if (saidMs !== undefined) return patienceOf(saidMs, startedAt);
  const own = rules.filter((rule) => sideOf(rule) === "own");
  return patienceForWork(own.length === 0 ? rules : own, startedAt, usualMs);
}

/** Why a rule fails whose turn comes after the end of patience. `undefined`: there is time left. */
export function patienceSpent(patience: Patience, isFirst: boolean): Failure | undefined {
  const spentMs = performance.now() - patience.startedAt;
  return spentMs < patience.answerMs ? undefined : outOfPatience(patience, isFirst ? "start" : "queue", spentMs);
}
