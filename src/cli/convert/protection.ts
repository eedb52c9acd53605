import type { Consequence } from "../../dialects/writing.ts";
import type { EventContract } from "../../events/contract.ts";
import { contractOf } from "../../events/lookup.ts";
import type { Handler, Rule } from "../../rule.ts";

/** Determines what a rule can refuse, and the consequence of losing the rule or a part of it. */

/** Returns the contract of the rule's event by its agent's page. `undefined`: unknown event, which may be a gate. */
export function homeOf(rule: Rule): EventContract | undefined {
  return contractOf(rule.event, rule.dialect, rule.lane, "faithful");
}

export function isAtGate(rule: Rule): boolean {
  return (homeOf(rule)?.kind ?? "gate") === "gate";
}

/** Whether the rule can refuse an action. */
export function canRefuse(rule: Rule): boolean {
  return countsAtGate(rule) && rule.may.some((answer) => answer === "deny" || answer === "ask");
}

/** Whether the rule can prevent harm: it can refuse an action, or make a call harmless with a rewrite. */
export function guards(rule: Rule): boolean {
  return canRefuse(rule) || (countsAtGate(rule) && rule.may.includes("rewrite"));
}

function countsAtGate(rule: Rule): boolean {
  const { async, mode, handler } = rule;
  return !async && mode !== "monitor" && !onlyAdds(handler) && isAtGate(rule);
}

/** Whether a handler cannot refuse. `max_iterations` is the only built-in hook that refuses. */
function onlyAdds(handler: Handler): boolean {
  if (handler.type === "model") return handler.answer === "text";
  return handler.type === "context" || (handler.type === "builtin" && handler.name !== "max_iterations");
}

/** Whether the rule's "allow" can replace the user's consent. */
export function canAllow({ may }: Rule, contract: EventContract | undefined): boolean {
  return may.includes("allow") && contract?.verdicts.includes("allow") === true;
}

/** Returns the consequence of losing the whole rule. */
export function lossOfRule(rule: Rule): Consequence {
  return guards(rule) ? "looser" : "gone";
}

/** Returns the consequence of asking a rule more often, or of answers that did not count before. */
export function widening(rule: Rule, there: EventContract | undefined): Consequence {
  if (there?.kind !== "gate") return "changed";
  return canAllow(rule, there) ? "looser" : "stricter";
}
