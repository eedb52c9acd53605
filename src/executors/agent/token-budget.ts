import type { ModelAnswer } from "../../models/model.ts";
import type { Failure } from "../../outcome.ts";

/** What an agent has spent on its model, and whether it may ask again. */
export interface TokenBudget {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Characters that the next question has more than the last. */
  add(text: string): void;
  /** Most that the next answer may be long, or why there can be none. */
  next(): { readonly ok: true; readonly maxTokens: number } | { readonly ok: false; readonly failure: Failure };
  /** Counts an answer. A failure if it was more than there was. */
  spend(answer: ModelAnswer): Failure | undefined;
}

export const MAX_ANSWER_TOKENS = 4_096;

/** A token for every four bytes: the usual rule of thumb, for what no provider has counted. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/**
 * `limit`: of all questions and answers together, as the provider counts them. What it does not count is estimated, and
 * so is the next question, from the last one: to know only afterwards would be to spend first.
 */
export function openBudget(limit: number): TokenBudget {
  let [inputTokens, outputTokens, nextInput] = [0, 0, 0];
  const tooMuch = (value: number, what: string): Failure => ({
    kind: "turns",
    message: `the agent may take ${limit} tokens in all, and ${what} ${value}`,
    limit,
    value,
  });
  return {
    get inputTokens() {
      return inputTokens;
    },
    get outputTokens() {
      return outputTokens;
    },
    add(text) {
      nextInput += estimateTokens(text);
    },
    next() {
      const left = limit - inputTokens - outputTokens - nextInput;
      if (left >= 1) return { ok: true, maxTokens: Math.min(MAX_ANSWER_TOKENS, left) };
      return { ok: false, failure: tooMuch(limit - left, "one more question would come to") };
    },
    spend({ text, calls, inputTokens: input, outputTokens: output }) {
      const asked = counted(input, nextInput);
      const answered = counted(output, estimateTokens(text + JSON.stringify(calls)));
      inputTokens += asked;
      outputTokens += answered;
      nextInput = asked + answered;
      const spent = inputTokens + outputTokens;
      return spent > limit ? tooMuch(spent, "it has taken") : undefined;
    },
  };
}

/** Zero is what a provider reports that does not count; anything odder comes from an embedder's function. */
function counted(reported: number, estimated: number): number {
  return Number.isFinite(reported) && reported > 0 ? Math.ceil(reported) : estimated;
}
