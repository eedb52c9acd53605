import type { Problem } from "../errors.ts";
import type { Rule } from "../rule.ts";

/** What keeps a rule from running: of its own entry, or of the module that it names. */
export function ailmentOf(rule: Rule, problems: readonly Problem[]): Problem | undefined {
  const { handler, place } = rule;
  if (handler.type === "broken") return handler.problem;
  return problems.find(
    (problem) =>
      problem.severity === "error" &&
      place !== undefined &&
      problem.place?.file === place.file &&
      problem.place.pointer === place.pointer,
  );
}
