/**
 * Fixed texts for traps. V8 changes its texts between versions, and a reason that the model reads must not depend on
 * the Node version.
 */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/unreachable/, "unreachable"],
  [/signature mismatch|null function/, "call of a null function, or of a function of another type"],
  [/divide by zero/, "divide by zero"],
  [/remainder by zero/, "remainder by zero"],
  [/divide result/, "divide result out of range"],
  [/float unrepresentable/, "float out of the range of an integer"],
  // This entry precedes `memory`, because V8's text for a segment that does not fit also names the memory.
  [/segment/, "segment out of bounds"],
  [/memory/, "memory access out of bounds"],
  [/table/, "table access out of bounds"],
];

export function trapWords(message: string): string {
  return WORDS.find(([pattern]) => pattern.test(message))?.[1] ?? message;
}
