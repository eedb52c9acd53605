import { formatProblem, type Problem } from "../../errors.ts";
import type { JsonObject } from "../../json.ts";
import { cleanLine } from "../../text.ts";

/** Returns the warnings of rules that never run because of a wrong matcher or tool name. */
export function unmatchedRules(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(
    ({ severity, code }) =>
      severity === "warning" && (code === "HOOK_CONFIG_UNKNOWN_TOOL" || code === "HOOK_CONFIG_MATCHER"),
  );
}

/** Returns the warnings about files of a repository that are not in force as they are on disk. */
export function trustWarnings(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(({ code }) => code === "HOOK_TRUST_MISSING" || code === "HOOK_TRUST_CHANGED");
}

/** Returns the line that `run` prints about rules that never run or are not in force; empty if there are none. */
export function unmatchedRulesText(problems: readonly Problem[], payload: JsonObject): string {
  const unmatched = payload["tool_name"] === undefined ? [] : unmatchedRules(problems);
  const [first, ...others] = [...trustWarnings(problems), ...unmatched];
  if (first === undefined) return "";
  const more = others.length === 0 ? "" : `, and ${others.length} more: hookbox check`;
  return `hookbox: ${cleanLine(formatProblem(first))}${more}\n`;
}
