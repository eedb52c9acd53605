import { Search, TooMuch } from "./find-secret.ts";

/** Text without the secrets in it, for records that others read. What cannot be looked through is left out altogether. */

const REDACTED = "[redacted]";
const UNSEEN = "[left out: it could not be looked through for secrets]";
/** Looked at in one go; and how much of its end is looked at once more, together with what follows. */
const WINDOW = 24_000;
const OVERLAP = 700;
/** What has more than that is a list of secrets. */
const MAX_FOUND = 64;

const PRIVATE_KEYS =
  /-----BEGIN [A-Z\d ]{0,60}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z\d ]{0,60}PRIVATE KEY(?: BLOCK)?-----|$)/g;

export function redactSecrets(text: string): string {
  const keyless = text.replace(PRIVATE_KEYS, REDACTED);
  let clean = "";
  let open = "";
  for (let at = 0; at < keyless.length; at += WINDOW) {
    const isLast = at + WINDOW >= keyless.length;
    const seen = redactWindow(open + keyless.slice(at, at + WINDOW));
    const end = isLast ? seen.length : Math.max(0, seen.length - OVERLAP);
    clean += seen.slice(0, end);
    open = seen.slice(end);
  }
  return clean;
}

function redactWindow(text: string): string {
  let clean = text;
  try {
    for (let found = 0; found < MAX_FOUND; found++) {
      const secret = new Search([]).find(clean);
      if (secret === undefined) return clean;
      clean = clean.replaceAll(secret.value, REDACTED);
    }
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
  }
  return UNSEEN;
}
