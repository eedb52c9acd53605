import { redactingSteps } from "../../secrets/redact.ts";
import { cleanLine, cleanText } from "../../text.ts";
import { takeTurns } from "../pace.ts";
import type { ToolPlace } from "./tool.ts";

/** What of a file's bytes a model gets to see. */

/** Looked at for the zeros that texts do not have. */
const BINARY_LOOK_BYTES = 8_192;

/** A file as text without what no screen shows, or `undefined` for one that is no text. */
export function textOf(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, BINARY_LOOK_BYTES).includes(0)) return undefined;
  return cleanText(bytes.toString("utf8"), Number.POSITIVE_INFINITY);
}

/**
 * The whole of a text goes through here before anything is picked out of it: a line alone may not look like the part of
 * a key that it is. To be called with cleaned text: a secret with an invisible character in it would be one again.
 */
export async function withoutSecrets(text: string, { redacts, stop }: ToolPlace): Promise<string> {
  if (!redacts) return text;
  const turn = takeTurns();
  const steps = redactingSteps(text);
  while (!stop.aborted) {
    const { done, value } = steps.next();
    if (done) return value;
    await turn();
  }
  return "[stopped]";
}

/** A path on one line. One that would look like another, or like two, stands in quotes. */
export function shownPath(path: string): string {
  const line = cleanLine(path);
  return line === path ? path : cleanLine(JSON.stringify(path));
}
