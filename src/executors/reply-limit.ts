import { excessOfText } from "../json-bounds.ts";
import type { Failure } from "../outcome.ts";

/**
 * Returns a failure if a hook's reply is JSON that exceeds the limits. Otherwise a dialect that reads invalid JSON as
 * plain text would read a denial as no opinion.
 */
export function replyExcess(text: string, what: string): Failure | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  const excess = excessOfText(text);
  if (excess === undefined) return undefined;
  const { limit, value, message } = excess;
  return { kind: "output-too-large", message: `${what} ${message}`, limit, value };
}
