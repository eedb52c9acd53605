import type { JsonObject } from "../../event.ts";

/**
 * JSON that is UTF-8 through and through: half of a surrogate pair becomes U+FFFD. What such a half means differs from
 * guest to guest (some refuse it, some read U+FFFD, some leave it as it is), and no file system or shell sees it.
 */
export function wellFormedJson(value: JsonObject): string {
  const text = JSON.stringify(value);
  // JSON.stringify spells them as escapes, and nothing else that begins like this.
  if (!text.includes("\\ud")) return text;
  const mended = text.replace(ESCAPE, (found) => (found === "\\\\" ? found : "\ufffd"));
  // Two keys may have become one.
  return mended === text ? text : JSON.stringify(JSON.parse(mended));
}

/** Escaped backslashes are taken along, so that what follows one is not mistaken for an escape. */
const ESCAPE = /\\\\|\\ud[89a-f][0-9a-f]{2}/g;
