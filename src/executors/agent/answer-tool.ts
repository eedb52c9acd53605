import type { ModelTool, ToolCallOfModel } from "../../models/model.ts";
import { type Field, misfitOf, schemaOf } from "./tool.ts";

/** How a model ends its search: the only way in which it can say yes or no. */

export interface Judgement {
  readonly ok: boolean;
  readonly reason: string;
  readonly impossible?: boolean;
}

const FIELDS = {
  ok: { kind: "flag", required: true, description: "Whether what was asked for holds." },
  reason: { kind: "text", required: true, description: "Why, in a sentence or two; may be empty if ok is true." },
  impossible: { kind: "flag", description: "Only if ok is false: whether it can never hold, whatever is done." },
} as const satisfies Record<string, Field>;

export const ANSWER_TOOL: ModelTool = {
  name: "answer",
  description: "Gives the judgement, and ends the search. To be called once, when you know.",
  schema: schemaOf(FIELDS),
};

export type ReadAnswers =
  | { readonly kind: "none" }
  | { readonly kind: "judgement"; readonly judgement: Judgement }
  /** By the ids of the calls that were made wrongly. */
  | { readonly kind: "wrong"; readonly problem: string }
  | { readonly kind: "disagree" };

/** All calls of `answer` in one turn: several that differ in anything are no answer. */
export function readAnswers(calls: readonly ToolCallOfModel[]): ReadAnswers {
  const inputs = calls.filter(({ name }) => name === ANSWER_TOOL.name).map(({ input }) => input);
  const [first, ...others] = inputs;
  if (first === undefined) return { kind: "none" };
  const problems = inputs.map((input) => misfitOf(input, FIELDS));
  const problem = problems[0];
  if (problem !== undefined && problems.every((one) => one !== undefined)) return { kind: "wrong", problem };
  if (problem !== undefined) return { kind: "disagree" };
  const judgement = first as unknown as Judgement;
  const isSame = others.every(
    (other, at) => problems[at + 1] === undefined && isEqual(judgement, other as unknown as Judgement),
  );
  return isSame ? { kind: "judgement", judgement } : { kind: "disagree" };
}

function isEqual(one: Judgement, other: Judgement): boolean {
  return one.ok === other.ok && one.reason === other.reason && one.impossible === other.impossible;
}
