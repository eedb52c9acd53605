import type { DecidedEvent } from "../../dialects/dialect.ts";
import { contractOf, denialWord, isEventName } from "../../events/lookup.ts";
import type { Verdict } from "../../verdict.ts";

/** An event that cannot be told may be the one that matters most. */
export function refusable(event: DecidedEvent | undefined): DecidedEvent {
  return event !== undefined && isEventName(event.name) ? event : { name: "PreToolUse", payload: {} };
}

/** A "no" that no rule said, where the event has one: its question could not be put to the rules. */
export function refusedVerdict(event: string, dialect: string, reason: string): Verdict {
  const contract = contractOf(event, dialect);
  const word = contract === undefined || contract.blockMeansGoOn ? undefined : denialWord(contract);
  return {
    event,
    decision: word ?? "none",
    continue: true,
    stopReason: null,
    reason: word === undefined ? null : reason,
    additionalContext: null,
    systemMessage: null,
    suppressOutput: false,
    updatedInput: null,
    updatedOutput: null,
    updatedMessages: null,
    summary: null,
    followUp: null,
    metadata: {},
    approval: null,
    specific: {},
    cancelled: false,
    rules: [],
    problems: [],
  };
}
