import type { Place, Problem } from "../errors.ts";
import type { Rule } from "../rule.ts";

/** Returns the error that keeps a rule from running, in the rule's own configuration or in its module. */
export function problemOfRule(rule: Rule, problems: readonly Problem[]): Problem | undefined {
  const { handler, place } = rule;
  if (handler.type === "broken") return handler.problem;
  return problems.find((problem) => problem.severity === "error" && isAt(problem, place));
}

/** Like {@link problemOfRule}, and also returns the error of a loaded rule whose command does not exist. */
export function certainProblemOf(rule: Rule, problems: readonly Problem[]): Problem | undefined {
  const isCertain = (problem: Problem): boolean =>
    problem.code === "HOOK_COMMAND_NOT_FOUND" && isAt(problem, rule.place);
  return problemOfRule(rule, problems) ?? problems.find(isCertain);
}

function isAt(problem: Problem, place: Place | undefined): boolean {
  return place !== undefined && problem.place?.file === place.file && problem.place.pointer === place.pointer;
}
