import type { JsonObject } from "../../json.ts";

/**
 * Returns JSON that is valid UTF-8. Unpaired surrogates become U+FFFD, because guests treat them differently: some
 * refuse them, some read U+FFFD, and some keep them. File systems and shells never get unpaired surrogates.
 */
export function wellFormedJson(value: JsonObject): string {
  const text = JSON.stringify(value);
  // `JSON.stringify` writes only unpaired surrogates as escapes that begin with `\ud`.
  if (!text.includes("\\ud")) return text;
  const replaced = text.replace(ESCAPE, (found) => (found === "\\\\" ? found : "\ufffd"));
  // The result is parsed again, because two different keys may have become equal.
  return replaced === text ? text : JSON.stringify(JSON.parse(replaced));
}

/** Matches escapes of surrogates, and escaped backslashes, so that the following text is no escape. */
const ESCAPE = /\\\\|\\ud[89a-f][0-9a-f]{2}/g;
