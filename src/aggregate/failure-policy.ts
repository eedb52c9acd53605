import type { EventContract } from "../events/contract.ts";
import { denialWord } from "../events/lookup.ts";
import type { FailureKind } from "../outcome.ts";
import type { Compat, Rule } from "../rule.ts";

/** What a failing rule means for the event. This file is the only place that turns a failure into a decision. */
export type FailureMeaning = "deny" | "continue";

/**
 * Failures of a hook that was written for an agent whose own rule is "go ahead". No answer at all is where that rule
 * is exploited (make the guard hang, kill it, unlink it), so `safer` closes there; an exit code is an answer, and
 * keeps the meaning that the hook's author read in the agent's documentation.
 */
const IMPORTED: Readonly<Record<FailureKind, Readonly<Record<Compat, FailureMeaning>>>> = {
  timeout: { safer: "deny", faithful: "continue" },
  signal: { safer: "deny", faithful: "continue" },
  spawn: { safer: "deny", faithful: "continue" },
  unavailable: { safer: "deny", faithful: "continue" },
  "output-too-large": { safer: "deny", faithful: "continue" },
  "invalid-output": { safer: "deny", faithful: "continue" },
  exit: { safer: "continue", faithful: "continue" },
  "no-output": { safer: "continue", faithful: "continue" },
  turns: { safer: "deny", faithful: "continue" },
  cancelled: { safer: "deny", faithful: "continue" },
  fuel: { safer: "deny", faithful: "deny" },
  stack: { safer: "deny", faithful: "deny" },
  memory: { safer: "deny", faithful: "deny" },
  trap: { safer: "deny", faithful: "deny" },
  capability: { safer: "deny", faithful: "deny" },
  integrity: { safer: "deny", faithful: "deny" },
};

/** Written in our own format, or of a type that no agent has: the agent's open-by-default rules do not apply. */
function isOwn(rule: Rule): boolean {
  return rule.dialect === "hookbox" || rule.handler.type === "wasm" || rule.handler.type === "broken";
}

export function meaningOfFailure(kind: FailureKind, rule: Rule, contract: EventContract): FailureMeaning {
  // Nothing to deny with, or a "no" that would send the agent round again.
  if (contract.kind === "observer" || contract.blockMeansGoOn || denialWord(contract) === undefined) return "continue";
  if (rule.onFailure !== undefined) return rule.onFailure === "block" ? "deny" : "continue";
  if (contract.onFailure === "continue") return "continue";
  return isOwn(rule) || contract.failuresDeny.includes(kind) ? "deny" : IMPORTED[kind][rule.compat];
}
