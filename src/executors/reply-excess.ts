import { excessOfText } from "../json-bounds.ts";
import type { Failure } from "../outcome.ts";

/**
 * Why a hook's reply is not read: it is JSON beyond the bounds. Without this check an agent that takes unreadable JSON for
 * plain text would take a reply that denies for no opinion.
 */
export function replyExcess(text: string, what: string): Failure | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  const excess = excessOfText(text);
  if (excess === undefined) return undefined;
  const { limit, value, message } = excess;
  return { kind: "output-too-large", message: `${what} ${message}`, limit, value };
}
