import { type Judgement, readJudgement } from "../../events/judge-answers.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import type { ModelTool, ToolCallOfModel } from "../../models/model.ts";
import { type Field, problemWithInput, schemaOf } from "./tool.ts";

/** The tool with which a model ends its search. The model can say yes or no only with this tool. */

const FIELDS = {
  ok: { kind: "flag", required: true, description: "Whether what was asked for holds." },
  reason: { kind: "text", required: true, description: "Why, in a sentence or two; may be empty if ok is true." },
  impossible: { kind: "flag", description: "Only if ok is false: whether it can never hold, whatever is done." },
} as const satisfies Record<string, Field>;

export const ANSWER_TOOL: ModelTool = {
  name: "answer",
  description: "Gives the judgement, and ends the search. Call it once, when you know.",
  schema: schemaOf(FIELDS),
};

export type ReadAnswers =
  | { readonly kind: "none" }
  | { readonly kind: "judgement"; readonly judgement: Judgement }
  | { readonly kind: "wrong"; readonly problem: string }
  | { readonly kind: "disagree" };

/** Reads all calls of `answer` in one turn. Calls that differ are no answer. */
export function readAnswers(calls: readonly ToolCallOfModel[]): ReadAnswers {
  const inputs = calls.filter(({ name }) => name === ANSWER_TOOL.name).map(({ input }) => input);
  const [first] = inputs;
  if (first === undefined) return { kind: "none" };
  const problems = inputs.map(problemOf);
  const [problem] = problems;
  if (problem !== undefined && !problems.includes(undefined)) return { kind: "wrong", problem };
  const judgement = first as unknown as Judgement;
  const isOne =
    problem === undefined && inputs.every((input, at) => problems[at] === undefined && isEqual(judgement, input));
  return isOne ? { kind: "judgement", judgement } : { kind: "disagree" };
}

/** Returns what is wrong with the input. The check is stricter than for a text, because the model can try again. */
function problemOf(input: JsonValue): string | undefined {
  const problem = problemWithInput(input, FIELDS);
  if (problem !== undefined) return problem;
  const read = readJudgement(input as JsonObject);
  return read.ok ? undefined : read.message;
}

function isEqual(one: Judgement, other: JsonValue): boolean {
  const { ok, reason, impossible } = other as unknown as Judgement;
  return one.ok === ok && one.reason === reason && one.impossible === impossible;
}
