import { redactSecrets } from "../../secrets/redact.ts";
import { cleanLine, cleanText } from "../../text.ts";

/** What of a file's bytes a model gets to see. */

/** Looked at for the zeros that texts do not have. */
const BINARY_LOOK_BYTES = 8_192;

/**
 * A file as text, or `undefined` for one that is none. Cleaned first: a secret with an invisible character in it would
 * be one again afterwards. All of it goes through redaction before anything is picked out: a line alone may not look
 * like the part of a key that it is. Lines are counted in what comes of it.
 */
export function shownText(bytes: Buffer, redacts: boolean): string | undefined {
  if (bytes.subarray(0, BINARY_LOOK_BYTES).includes(0)) return undefined;
  const text = cleanText(bytes.toString("utf8"), Number.POSITIVE_INFINITY);
  return redacts ? redactSecrets(text) : text;
}

/** A path on one line. One that would look like another, or like two, stands in quotes. */
export function shownPath(path: string): string {
  const line = cleanLine(path);
  return line === path ? path : cleanLine(JSON.stringify(path));
}
