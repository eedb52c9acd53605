import type { HookEvent } from "../../../src/event.ts";
import { runBounded } from "../../../src/executors/bounded-run.ts";
import { ModelExecutor } from "../../../src/executors/model/model-executor.ts";
import type { ModelAnswer, ModelFunction, ModelRequest } from "../../../src/models/model.ts";
import { Models } from "../../../src/models/models.ts";
import type { RunResult } from "../../../src/outcome.ts";
import type { HandlerOf, Rule } from "../../../src/rule.ts";
import { bashEvent, makeRule } from "../../helpers/rules.ts";

export type ModelHandler = HandlerOf<"model">;

/** Returns a rule that asks the function `stub`; tests give only the fields that they are about. */
export function modelRule(handler: Partial<ModelHandler> = {}, rule: Partial<Rule> = {}): Rule {
  return makeRule({
    ...rule,
    handler: {
      type: "model",
      model: "stub/judge",
      choice: { provider: { kind: "function", name: "stub" }, model: "judge" },
      prompt: "Judge: $ARGUMENTS",
      template: "arguments",
      answer: "ok",
      continueOnBlock: false,
      redacts: false,
      maxTokens: 1_000,
      ...handler,
    },
  });
}

interface Asked {
  readonly result: RunResult;
  /** The request that the model received, if it was asked. */
  readonly request: ModelRequest | undefined;
}

/** Runs the rule with a model that gives this answer, until the rule's own deadline. */
export async function ask(
  answer: string | Partial<ModelAnswer> | ModelFunction,
  rule: Rule = modelRule(),
  event: HookEvent = bashEvent("ls"),
): Promise<Asked> {
  let request: ModelRequest | undefined;
  const stub: ModelFunction = async (given, context) => {
    request = given;
    if (typeof answer === "function") return answer(given, context);
    if (typeof answer === "string") return answer;
    return { text: "", calls: [], end: "done", inputTokens: 0, outputTokens: 0, ...answer };
  };
  const models = new Models({ functions: { stub } });
  try {
    const result = await runBounded(new ModelExecutor(models), rule, event, undefined);
    return { result, request };
  } finally {
    await models.close();
  }
}
