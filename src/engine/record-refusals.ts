import { setImmediate as nextTurn } from "node:timers/promises";
import type { RuleOutcome } from "../aggregate/rule-outcome.ts";
import type { HookEvent } from "../event.ts";
import type { StateFolder } from "../state/private-json.ts";
import type { Verdict } from "../verdict.ts";

/**
 * Records the refusals of an event after the reply, because an agent is waiting. Returns `undefined` if there is nothing
 * to record; otherwise a promise that never rejects.
 */
export function recordRefusals(
  { decision }: Verdict,
  event: HookEvent,
  outcomes: readonly RuleOutcome[],
  stateFolder: StateFolder | false,
): Promise<void> | undefined {
  if (decision === "none" || decision === "allow" || stateFolder === false) return undefined;
  // The record only informs the user, so an error changes nothing.
  return record(event, outcomes, stateFolder).catch(() => {});
}

async function record(event: HookEvent, outcomes: readonly RuleOutcome[], stateFolder: StateFolder): Promise<void> {
  await nextTurn();
  (await import("./refusals.ts")).keepRefusals(event, outcomes, stateFolder);
}
