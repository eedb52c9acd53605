import { Search, TooMuch } from "./find-secret.ts";

/**
 * Removes secrets from texts, for records that other people read. Text that cannot be searched completely is left out.
 */

const REDACTED = "[redacted]";
export const UNSEEN = "[left out: could not be searched for secrets]";
/** The length of text that is searched in one step, and how much of the following text is searched too. */
const WINDOW = 24_000;
const OVERLAP = 700;
/** `Search` reports only the beginning of a value of at least this length. */
const CUT_OFF = 600;
/** The maximum number of secrets in a window. A text with more is a list of secrets, and is left out. */
const MAX_FOUND = 64;
const MAX_PASSES = 4;

/** Matches from the beginning of a private key to its end, or to the end of the text. */
const PRIVATE_KEYS =
  /-----BEGIN [A-Z\d ]{0,60}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z\d ]{0,60}PRIVATE KEY(?: BLOCK)?-----|$)/g;

const BEGIN = /^-----BEGIN [^-]*-----/;
const KEY_MATERIAL = /(?:\\{1,4}[nr]){0,4}[A-Za-z\d+/=]{20,}/g;
const BETWEEN = /(?<=\[redacted\])(?:\s|\\+[nr])*\[redacted\]/g;
const END = /(?<=\[redacted\])(?:\s|\\+[nr])*-----END [^-]*-----$/;

/**
 * Removes only the key itself, because the reader of the rest may have to judge a command. An attacker could hide a
 * command by writing the first line of a key before it.
 */
function withoutKey(block: string): string {
  const clean = block.replace(BEGIN, REDACTED).replace(KEY_MATERIAL, REDACTED);
  return clean.replace(BETWEEN, "").replace(END, "");
}

/** Returns a text without secrets. `name` is the name of the text's field; a "password" needs no known format. */
export function redactSecrets(text: string, name?: string): string {
  const steps = redactingSteps(text, name);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Like `redactSecrets`, as a generator for long texts from untrusted sources. Each step takes a few milliseconds.
 * Returns the text.
 */
export function* redactingSteps(text: string, name?: string): Generator<undefined, string> {
  let clean = text.replace(PRIVATE_KEYS, withoutKey);
  // A replacement can leave a part of a value that overlapped with a longer one, so the result is searched again.
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const values = new Set<string>();
    for (let at = 0; at < clean.length; at += WINDOW) {
      const found = yield* secretsIn(clean.slice(at, at + WINDOW + OVERLAP), name);
      if (found === undefined) return UNSEEN;
      for (const value of found) values.add(value);
    }
    if (values.size === 0) return clean;
    // Longer values are removed first: if a window has cut a secret, the next window contains the whole secret.
    for (const value of [...values].sort((one, other) => other.length - one.length)) {
      yield;
      clean = without(clean, value);
    }
  }
  return UNSEEN;
}

function without(text: string, value: string): string {
  if (value.length < CUT_OFF) return text.replaceAll(value, REDACTED);
  const [first = "", ...others] = text.split(value);
  return [first, ...others.map((behind) => behind.replace(/^[\w.~$+/=-]+/, ""))].join(REDACTED);
}

/** Returns the secrets in a text. Returns `undefined` if the text is too long to be searched completely. */
function* secretsIn(text: string, name: string | undefined): Generator<undefined, readonly string[] | undefined> {
  const values = new Set<string>();
  try {
    yield;
    for (const { value } of new Search([]).all(text, name)) {
      yield;
      if (values.add(value).size > MAX_FOUND) return undefined;
    }
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    return undefined;
  }
  return [...values];
}
