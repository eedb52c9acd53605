import type { EventContract } from "../events/contract.ts";
import { contractOf, denialWord } from "../events/lookup.ts";
import type { FailureKind } from "../outcome.ts";
import type { Compat, Rule } from "../rule.ts";

/** What a failing rule means for its event. Only this file turns a failure into a decision. */
export type FailureMeaning = "deny" | "continue";

type Meanings = Readonly<Record<Compat, FailureMeaning>>;

const OPEN: Meanings = { safer: "continue", faithful: "continue" };
const SHUT: Meanings = { safer: "deny", faithful: "deny" };
/** The agent's own page says "go ahead". */
const PAGE_OPEN: Meanings = { safer: "deny", faithful: "continue" };

/** Failures of a sandbox. Agents have no sandboxed hooks, so no agent's page leaves a gate open for them. */
const SANDBOX = { fuel: SHUT, stack: SHUT, memory: SHUT, trap: SHUT, capability: SHUT, integrity: SHUT } as const;

/** The hook gave no answer, or an answer that cannot be read. */
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
 * Failures of a hook that was written for an agent, by `importedFailures` of the event's row. An attacker exploits "go
 * ahead" by making a hook hang, killing it or deleting it, so `safer` closes the gate if there is no answer. An exit code
 * is an answer. It keeps the meaning that the hook's author read in the agent's documentation.
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

/** Whether the rule is in hookbox's own format or of a type that no agent has. Such a rule always closes its gate. */
function isOwn(rule: Rule): boolean {
  return rule.dialect === "hookbox" || rule.handler.type === "wasm" || rule.handler.type === "broken";
}

/** `contract` belongs to the event. The promises to the rule's author are in the row of the rule's own dialect. */
export function meaningOfFailure(kind: FailureKind, rule: Rule, contract: EventContract): FailureMeaning {
  // The event has no denial, or its denial would make the agent go on.
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
