import type { Problem } from "../errors.ts";
import type { ModelChoice, Rule } from "../rule.ts";
import type { Models } from "./models.ts";

export const NO_MODEL = { code: "HOOK_MODEL_PROVIDER", message: "which model is to be asked is not known" } as const;

/** Returns the problems that keep a rule from asking its model, without asking it. */
export async function problemsOfAsking(
  models: Models,
  { place }: Rule,
  choice: ModelChoice | undefined,
  problemOfPrompt: string | undefined,
): Promise<readonly Problem[]> {
  const found = [
    choice === undefined ? NO_MODEL : await models.problemOf(choice),
    problemOfPrompt === undefined ? undefined : ({ code: "HOOK_PROMPT_TEMPLATE", message: problemOfPrompt } as const),
  ];
  return found.flatMap((problem) =>
    problem === undefined
      ? []
      : [{ severity: "error", ...problem, ...(place === undefined ? {} : { place }) } satisfies Problem],
  );
}
