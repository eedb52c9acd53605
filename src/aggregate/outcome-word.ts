import type { HookOutcome } from "../outcome.ts";
import type { OutcomeWord } from "../verdict.ts";
import type { FailureMeaning } from "./failure-policy.ts";

/**
 * What became of a rule, in the four words that the literature on hooks has for it. A rule's own deadline is an error
 * (which the failure policy may make a refusal of); `cancelled` is what the caller has called off, and an agent that we
 * have, out of turns or tokens.
 */
export function outcomeWord(outcome: HookOutcome, meaning: FailureMeaning | null): OutcomeWord {
  if (outcome.status === "failed") {
    const { kind } = outcome.failure;
    if (kind === "cancelled" || kind === "turns") return "cancelled";
    return meaning === "deny" ? "blocking" : "non_blocking_error";
  }
  if (outcome.status === "abstained") return "success";
  const { decision, continue: goesOn } = outcome.reply;
  return decision === "deny" || decision === "block" || goesOn === false ? "blocking" : "success";
}
