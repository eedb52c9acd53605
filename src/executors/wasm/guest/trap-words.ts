/**
 * Our words for a trap. V8 has changed its own from one version to the next, and a reason that reaches the model must
 * not depend on the Node that a guard runs on.
 */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/unreachable/, "unreachable"],
  [/signature mismatch|null function/, "call of no function, or of one of another type"],
  [/divide by zero/, "divide by zero"],
  [/remainder by zero/, "remainder by zero"],
  [/divide result/, "divide result out of range"],
  [/float unrepresentable/, "float out of the range of an integer"],
  // Before memory: it, too, is named where a segment does not fit into it.
  [/segment/, "segment out of bounds"],
  [/memory/, "memory access out of bounds"],
  [/table/, "table access out of bounds"],
];

export function trapWords(message: string): string {
  return WORDS.find(([pattern]) => pattern.test(message))?.[1] ?? message;
}
