import type { HookOutcome } from "../outcome.ts";
import type { OutcomeWord } from "../verdict.ts";
import type { FailureMeaning } from "./failure-policy.ts";

/**
 * The outcome of a rule in the four words of the generic hook pattern. A timeout is an error, which the failure policy
 * may turn into a refusal. `cancelled` means that the caller cancelled the event, or that an agent hook ran out of
 * turns or tokens.
 */
export function classifyOutcome(outcome: HookOutcome, meaning: FailureMeaning | null): OutcomeWord {
  if (outcome.status === "failed") {
    const { kind } = outcome.failure;
    if (kind === "cancelled" || kind === "turns") return "cancelled";
    return meaning === "deny" ? "blocking" : "non_blocking_error";
  }
  if (outcome.status === "abstained") return "success";
  const { decision, continue: goesOn } = outcome.reply;
  return decision === "deny" || decision === "block" || goesOn === false ? "blocking" : "success";
}
