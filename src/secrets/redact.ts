import { Search, TooMuch } from "./find-secret.ts";

/** Text without the secrets in it, for records that others read. What cannot be looked through is left out altogether. */

const REDACTED = "[redacted]";
const UNSEEN = "[left out: it could not be looked through for secrets]";
/** Looked at in one go; and how much of what follows is looked at together with it. */
const WINDOW = 24_000;
const OVERLAP = 700;
/** Of what is longer only the beginning is told. */
const CUT_OFF = 600;
/** What has more than that is a list of secrets. */
const MAX_FOUND = 64;

const PRIVATE_KEYS =
  /-----BEGIN [A-Z\d ]{0,60}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z\d ]{0,60}PRIVATE KEY(?: BLOCK)?-----|$)/g;

/** `name`: that of the field which the text is the value of. A "password" needs no looks of its own. */
export function redactSecrets(text: string, name?: string): string {
  const keyless = text.replace(PRIVATE_KEYS, REDACTED);
  const values = new Set<string>();
  for (let at = 0; at < keyless.length; at += WINDOW) {
    const found = secretsIn(keyless.slice(at, at + WINDOW + OVERLAP), name);
    if (found === undefined) return UNSEEN;
    for (const value of found) values.add(value);
  }
  // Of one that a window has cut off the whole stands in the next, and goes first.
  const longestFirst = [...values].sort((one, other) => other.length - one.length);
  return longestFirst.reduce(without, keyless);
}

function without(text: string, value: string): string {
  if (value.length < CUT_OFF) return text.replaceAll(value, REDACTED);
  const [first = "", ...others] = text.split(value);
  return [first, ...others.map((behind) => behind.replace(/^[\w.~$+/=-]+/, ""))].join(REDACTED);
}

/** `undefined`: more than there is time to look at. */
function secretsIn(text: string, name: string | undefined): readonly string[] | undefined {
  const values: string[] = [];
  let clean = text;
  try {
    while (values.length < MAX_FOUND) {
      const secret = new Search([]).find(clean, name);
      if (secret === undefined) return values;
      values.push(secret.value);
      clean = clean.replaceAll(secret.value, REDACTED);
    }
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
  }
  return undefined;
}
