import type { ErrorCode } from "../errors.ts";
import type { EventContract } from "../events/contract.ts";
import { compileCondition, takesConditions } from "../matcher/condition/condition.ts";
import { compileFilter } from "../matcher/filter.ts";
import type { ProblemOptions } from "./config-problems.ts";
import type { RuleParts } from "./handler-format.ts";

/** A setting that cannot be used, or that means nothing at the event where its hook stands. */
interface Misfit extends ProblemOptions {
  readonly code: ErrorCode;
  readonly key: string;
  readonly message: string;
}

export function misfitsOf(parts: NonNullable<RuleParts>, event: string, contract: EventContract): Misfit[] {
  const { condition, filter, handler, lane } = parts;
  const misfits: Misfit[] = [];
  if (condition !== undefined) {
    const compiled = compileCondition(condition);
    if (!compiled.ok) misfits.push({ ...compiled, code: "HOOK_CONFIG_CONDITION", key: "if" });
    else if (!takesConditions(contract)) misfits.push(neverRuns("if", event, parts));
  }
  if (filter !== undefined) {
    const compiled = compileFilter(filter);
    if (!compiled.ok) misfits.push({ ...compiled, code: "HOOK_CONFIG_FILTER", key: "filter" });
    else if (filter.tools !== undefined && filter.tools.length > 0 && !takesConditions(contract))
      misfits.push(neverRuns("filter", event, parts));
  }
  if (lane !== undefined && event !== "PreToolUse")
    misfits.push(inert("lane", `${event} has no lanes: the hook is asked with the others`));
  if (handler.type === "context" && contract.context === null)
    misfits.push(inert("text", `${event} takes no text, so the hook adds nothing`));
  return misfits;
}

/** A guard that could only have refused is not lost without an error, even where the agent would say nothing. */
function neverRuns(key: "if" | "filter", event: string, { may }: NonNullable<RuleParts>): Misfit {
  const onlyRefuses = may.length > 0 && may.every((answer) => answer === "deny" || answer === "ask");
  return {
    ...inert(key, `${event} is not about a tool, so a hook with "${key}" never runs there`),
    hint: `take the "${key}" away, or move the hook to an event such as PreToolUse`,
    severity: onlyRefuses ? "error" : "warning",
  };
}

function inert(key: string, message: string): Misfit {
  return { code: "HOOK_CONFIG_INERT", key, message, severity: "warning" };
}
