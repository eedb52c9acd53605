import type { Consequence } from "../../dialects/writing.ts";
import type { EventContract } from "../../events/contract.ts";
import { contractOf } from "../../events/lookup.ts";
import type { Handler, Rule } from "../../rule.ts";

/** What a rule is there for, and so what it means when a part of it is lost. */

/** The event as the author of a rule knows it. A rule whose event could not be read may have stood at a gate. */
export function homeOf(rule: Rule): EventContract | undefined {
  return contractOf(rule.event, rule.dialect, rule.lane, "faithful");
}

export function standsAtGate(rule: Rule): boolean {
  return (homeOf(rule)?.kind ?? "gate") === "gate";
}

/** Whether anything can be refused by it. */
export function canRefuse(rule: Rule): boolean {
  return isHeardAtGate(rule) && rule.may.some((answer) => answer === "deny" || answer === "ask");
}

/** Whether something goes ahead without it that did not, or not as it was: a rewrite can take the harm out of a call. */
export function guards(rule: Rule): boolean {
  return canRefuse(rule) || (isHeardAtGate(rule) && rule.may.includes("rewrite"));
}

function isHeardAtGate(rule: Rule): boolean {
  const { async, mode, handler } = rule;
  return !async && mode !== "monitor" && !onlyAdds(handler) && standsAtGate(rule);
}

/** Text, a file, a message: of all built-in hooks one says no. */
function onlyAdds(handler: Handler): boolean {
  if (handler.type === "model") return handler.answer === "text";
  return handler.type === "context" || (handler.type === "builtin" && handler.name !== "max_iterations");
}

/** Whether its answer can stand for the user's consent. */
export function canAllow({ may }: Rule, contract: EventContract | undefined): boolean {
  return may.includes("allow") && contract?.verdicts.includes("allow") === true;
}

/** Of a rule that is not there any more. */
export function absence(rule: Rule): Consequence {
  return guards(rule) ? "looser" : "gone";
}

/** Of a rule that is asked more often than its author meant it to be, or whose answers count where they did not. */
export function widening(rule: Rule, there: EventContract | undefined): Consequence {
  if (there?.kind !== "gate") return "changed";
  return canAllow(rule, there) ? "looser" : "stricter";
}
