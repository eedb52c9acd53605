import type { Consequence } from "../../dialects/writing.ts";
import type { EventContract } from "../../events/contract.ts";
import { contractOf } from "../../events/lookup.ts";
import type { Handler, Rule } from "../../rule.ts";

/** Finds what a rule can refuse, and from that the consequence of losing the rule or a part of it. */

/** The contract of the rule's event by its agent's page. `undefined`: the event is unknown, and may be a gate. */
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

/** Whether a handler can only add text or has side effects. The only built-in hook that refuses is `max_iterations`. */
function onlyAdds(handler: Handler): boolean {
  if (handler.type === "model") return handler.answer === "text";
  return handler.type === "context" || (handler.type === "builtin" && handler.name !== "max_iterations");
}

/** Whether the rule's "allow" can replace the user's consent. */
export function canAllow({ may }: Rule, contract: EventContract | undefined): boolean {
  return may.includes("allow") && contract?.verdicts.includes("allow") === true;
}

/** The consequence of losing the whole rule. */
export function lossOfRule(rule: Rule): Consequence {
  return guards(rule) ? "looser" : "gone";
}

/** The consequence of asking a rule more often than its author intended, or of answers that did not count before. */
export function widening(rule: Rule, there: EventContract | undefined): Consequence {
  if (there?.kind !== "gate") return "changed";
  return canAllow(rule, there) ? "looser" : "stricter";
}
