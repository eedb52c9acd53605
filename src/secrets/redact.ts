import { Search, TooMuch } from "./find-secret.ts";

/** Text without the secrets in it, for records that others read. What cannot be looked through is left out altogether. */

const REDACTED = "[redacted]";
export const UNSEEN = "[left out: it could not be looked through for secrets]";
/** Looked at in one go; and how much of what follows is looked at together with it. */
const WINDOW = 24_000;
const OVERLAP = 700;
/** Of what is longer only the beginning is told. */
const CUT_OFF = 600;
/** What has more than that is a list of secrets. */
const MAX_FOUND = 64;

/** From the beginning of one to its end, or to the text's. */
const PRIVATE_KEYS =
  /-----BEGIN [A-Z\d ]{0,60}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z\d ]{0,60}PRIVATE KEY(?: BLOCK)?-----|$)/g;

const BEGIN = /^-----BEGIN [^-]*-----/;
const KEY_MATERIAL = /(?:\\{1,4}[nr]){0,4}[A-Za-z\d+/=]{20,}/g;
const BETWEEN = /(?<=\[redacted\])(?:\s|\\+[nr])*\[redacted\]/g;
const END = /(?<=\[redacted\])(?:\s|\\+[nr])*-----END [^-]*-----$/;

/**
 * Only what a key is made of: whoever reads the rest may have to judge a command, which would otherwise be hidden by
 * writing the first line of a key before it.
 */
function withoutKey(block: string): string {
  const clean = block.replace(BEGIN, REDACTED).replace(KEY_MATERIAL, REDACTED);
  return clean.replace(BETWEEN, "").replace(END, "");
}

/** `name`: that of the field which the text is the value of. A "password" needs no looks of its own. */
export function redactSecrets(text: string, name?: string): string {
  const steps = redactingSteps(text, name);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same in steps of some milliseconds each, for texts that are long and belong to strangers. Returns the text. */
export function* redactingSteps(text: string, name?: string): Generator<undefined, string> {
  const keyless = text.replace(PRIVATE_KEYS, withoutKey);
  const values = new Set<string>();
  for (let at = 0; at < keyless.length; at += WINDOW) {
    const found = yield* secretsIn(keyless.slice(at, at + WINDOW + OVERLAP), name);
    if (found === undefined) return UNSEEN;
    for (const value of found) values.add(value);
  }
  // Of one that a window has cut off the whole stands in the next, and goes first.
  const longestFirst = [...values].sort((one, other) => other.length - one.length);
  let clean = keyless;
  for (const value of longestFirst) {
    yield;
    clean = without(clean, value);
  }
  return clean;
}

function without(text: string, value: string): string {
  if (value.length < CUT_OFF) return text.replaceAll(value, REDACTED);
  const [first = "", ...others] = text.split(value);
  return [first, ...others.map((behind) => behind.replace(/^[\w.~$+/=-]+/, ""))].join(REDACTED);
}

/** `undefined`: more than there is time to look at. */
function* secretsIn(text: string, name: string | undefined): Generator<undefined, readonly string[] | undefined> {
  const values: string[] = [];
  let clean = text;
  try {
    while (values.length < MAX_FOUND) {
      yield;
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
