import type { EventContract } from "../events/contract.ts";
import { contractOf, denialWord } from "../events/lookup.ts";
import type { FailureKind } from "../outcome.ts";
import type { Compat, Rule } from "../rule.ts";

/** What a failing rule means for the event. This file is the only place that turns a failure into a decision. */
export type FailureMeaning = "deny" | "continue";

type Meanings = Readonly<Record<Compat, FailureMeaning>>;

const OPEN: Meanings = { safer: "continue", faithful: "continue" };
const SHUT: Meanings = { safer: "deny", faithful: "deny" };
/** The agent's own rule is "go ahead". */
const PAGE_OPEN: Meanings = { safer: "deny", faithful: "continue" };

/** Of a hook that no agent knows: nobody's page leaves a gate open on account of these. */
const SANDBOX = { fuel: SHUT, stack: SHUT, memory: SHUT, trap: SHUT, capability: SHUT, integrity: SHUT } as const;

/** No answer at all, or none that can be understood. */
const NO_ANSWER = {
  timeout: PAGE_OPEN,
  signal: PAGE_OPEN,
  spawn: PAGE_OPEN,
  unavailable: PAGE_OPEN,
  "output-too-large": PAGE_OPEN,
  "invalid-output": PAGE_OPEN,
  turns: PAGE_OPEN,
  cancelled: PAGE_OPEN,
  ...SANDBOX,
} as const;

/**
 * Failures of a hook that was written for an agent, by what the event's row says of them. No answer at all is where a
 * rule of "go ahead" is exploited (make the guard hang, kill it, unlink it), so `safer` closes there; an exit code is
 * an answer, and keeps the meaning that the hook's author read in the agent's documentation.
 */
const IMPORTED: Readonly<Record<EventContract["importedFailures"], Readonly<Record<FailureKind, Meanings>>>> = {
  "by-kind": { ...NO_ANSWER, exit: OPEN, "no-output": OPEN },
  continue: {
    timeout: OPEN,
    signal: OPEN,
    spawn: OPEN,
    unavailable: OPEN,
    "output-too-large": OPEN,
    "invalid-output": OPEN,
    exit: OPEN,
    "no-output": OPEN,
    turns: OPEN,
    cancelled: OPEN,
    ...SANDBOX,
  },
  deny: { ...NO_ANSWER, exit: PAGE_OPEN, "no-output": PAGE_OPEN },
};

/** Written in our own format, or of a type that no agent has: the agent's open-by-default rules do not apply. */
function isOwn(rule: Rule): boolean {
  return rule.dialect === "hookbox" || rule.handler.type === "wasm" || rule.handler.type === "broken";
}

/** `contract` is the event's; what was promised to the rule's author stands in the row of the rule's own dialect. */
export function meaningOfFailure(kind: FailureKind, rule: Rule, contract: EventContract): FailureMeaning {
  // Nothing to deny with, or a "no" that would send the agent round again.
  if (contract.kind === "observer" || contract.blockMeansGoOn || denialWord(contract) === undefined) return "continue";
  const home = contractOf(rule.event, rule.dialect, rule.lane, rule.compat) ?? contract;
  if (contract.failsClosed || home.failsClosed) {
    const goesOn = !isOwn(rule) && home.failuresGoOn.includes(kind) && rule.onFailure !== "block";
    return goesOn ? "continue" : "deny";
  }
  if (rule.onFailure !== undefined) return rule.onFailure === "block" ? "deny" : "continue";
  if (contract.onFailure === "continue") return "continue";
  if (isOwn(rule) || contract.failuresDeny.includes(kind)) return "deny";
  return IMPORTED[home.importedFailures][kind][rule.compat];
}
