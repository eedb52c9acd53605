import type { ModelAnswer } from "../../models/model.ts";
import type { Failure } from "../../outcome.ts";

/** Counts the tokens that an agent has used, and decides whether the agent may ask again. */
export interface TokenBudget {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Counts text that the next question has in addition to the last question. */
  add(text: string): void;
  /** Returns the maximum length of the next answer, or the reason why no question is left. */
  next(): { readonly ok: true; readonly maxTokens: number } | { readonly ok: false; readonly failure: Failure };
  /** Counts an answer. Returns a failure if the limit is exceeded. */
  spend(answer: ModelAnswer): Failure | undefined;
}

export const MAX_ANSWER_TOKENS = 4_096;

/** Estimates one token for four bytes, for text that no provider has counted. */
function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/**
 * Opens a budget. `limit` is the maximum number of tokens for all questions and answers together. Tokens that the
 * provider does not count are estimated. The next question is estimated from the last question, so that a question
 * beyond the limit is not asked.
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

/** Returns the number of tokens, estimated if the provider or an embedder's function reports no valid number. */
function counted(reported: number, estimated: number): number {
  return Number.isFinite(reported) && reported > 0 ? Math.ceil(reported) : estimated;
}
