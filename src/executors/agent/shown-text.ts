import { redactingSteps } from "../../secrets/redact.ts";
import { cleanLine, cleanText } from "../../text.ts";
import { eventLoopPauses } from "../event-loop-pauses.ts";
import type { ToolPlace } from "./tool.ts";

/** Prepares a file's content for a model. */

/** The number of bytes that are searched for NUL, because texts contain no NUL. */
const BINARY_LOOK_BYTES = 8_192;

/** Decodes a file and removes invisible characters. Returns `undefined` for a binary file. */
export function textOf(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, BINARY_LOOK_BYTES).includes(0)) return undefined;
  return cleanText(bytes.toString("utf8"), Number.POSITIVE_INFINITY);
}

/**
 * Removes secrets from a whole text before lines are picked, because a single line of a key may not look like a key.
 * The text must already be free of invisible characters, which could hide a secret.
 */
export async function withoutSecrets(text: string, { redacts, stop }: ToolPlace): Promise<string> {
  if (!redacts) return text;
  const pause = eventLoopPauses();
  const steps = redactingSteps(text);
  while (!stop.aborted) {
    const { done, value } = steps.next();
    if (done) return value;
    await pause();
  }
  return "[stopped]";
}

/** Returns a path on one line. Quotes a path that could be misread, for example because of blanks. */
export function shownPath(path: string): string {
  const line = cleanLine(path);
  return line === path ? path : cleanLine(JSON.stringify(path));
}
