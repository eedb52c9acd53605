import { formatProblem, type Problem } from "../errors.ts";
import type { JsonObject } from "../event.ts";
import { cleanLine } from "../text.ts";

/** Warnings of rules that fit no tool, although they were meant to: in an agent, nothing else shows that they never run. */
export function unfittingRules(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(
    ({ severity, code }) =>
      severity === "warning" && (code === "HOOK_CONFIG_UNKNOWN_TOOL" || code === "HOOK_CONFIG_MATCHER"),
  );
}

/** What `run` says of them at a tool's event, on one line; empty if there is nothing to say. */
export function unfittingRulesText(problems: readonly Problem[], payload: JsonObject): string {
  const [first, ...others] = payload["tool_name"] === undefined ? [] : unfittingRules(problems);
  if (first === undefined) return "";
  const more = others.length === 0 ? "" : `, and ${others.length} more: hookbox check`;
  return `hookbox: ${cleanLine(formatProblem(first))}${more}\n`;
}
