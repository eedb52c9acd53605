import type { Compat } from "../codec.ts";
import type { EventContract } from "../events/contract.ts";
import { contractOf, denialWord } from "../events/lookup.ts";
import type { FailureKind } from "../outcome.ts";
import type { Rule } from "../rule.ts";

/** The effect of a failed rule on its event. Only this file turns a failure into a decision. */
export type FailureMeaning = "deny" | "continue";

type Meanings = Readonly<Record<Compat, FailureMeaning>>;

const OPEN: Meanings = { safer: "continue", faithful: "continue" };
const SHUT: Meanings = { safer: "deny", faithful: "deny" };
/** Meanings of a failure if the agent's own documentation says that the agent goes on. */
const PAGE_OPEN: Meanings = { safer: "deny", faithful: "continue" };

/** Failures of a sandbox. No agent's documentation leaves a gate open for them, because agents have no sandbox. */
const SANDBOX = { fuel: SHUT, stack: SHUT, memory: SHUT, trap: SHUT, capability: SHUT, integrity: SHUT } as const;

/** Meanings of a failure without a readable answer. */
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
 * Failures of hooks that were written for an agent, by the event's `importedFailures`. An attacker can make a hook
 * hang, kill it or delete it. Therefore `safer` closes the gate if there is no answer. An exit code is an answer and
 * keeps the meaning in the agent's documentation.
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

/** Whether the rule is in hookbox's own format or of a type that no agent has. Its failures close the gate. */
function isOwn(rule: Rule): boolean {
  return rule.dialect === "hookbox" || rule.handler.type === "wasm" || rule.handler.type === "broken";
}

/** Returns what a failure means. `contract` is the event's row; imported rules use the row of their own dialect. */
export function meaningOfFailure(kind: FailureKind, rule: Rule, contract: EventContract): FailureMeaning {
  // The gate stays open if the event has no denial, or if a denial would make the agent go on.
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
