import { type Budget, Search, TooMuch } from "./find-secret.ts";
import type { Secret } from "./secret.ts";

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

export interface Redacting {
  /** Texts of harmless values: a value that contains one of them is kept. */
  readonly allowed?: readonly string[];
  /** Called with each secret that is removed. */
  readonly onSecret?: (secret: Pick<Secret, "kind">) => void;
  /** Called if a text is left out. */
  readonly onUnseen?: () => void;
  /** What may be spent on all texts. Default: each part of a text has a budget of its own. */
  readonly budget?: Budget;
}

/** Returns a text without secrets. `name` is the name of the text's field; a "password" needs no known format. */
export function redactSecrets(text: string, name?: string, options?: Redacting): string {
  const steps = redactingSteps(text, name, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Like `redactSecrets`, as a generator for long texts from untrusted sources. Each step takes a few milliseconds.
 * Returns the text.
 */
export function* redactingSteps(text: string, name?: string, options: Redacting = {}): Generator<undefined, string> {
  const unseen = (): string => {
    options.onUnseen?.();
    return UNSEEN;
  };
  let clean = text.includes("PRIVATE KEY") ? text.replace(PRIVATE_KEYS, withoutKey) : text;
  if (clean !== text) options.onSecret?.({ kind: "a private key" });
  // A replacement can leave a part of a value that overlapped with a longer one, so the text around it is searched again.
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const values = new Set<string>();
    for (const part of pass === 0 ? windowsOf(clean, 0, clean.length) : aroundReplacements(clean)) {
      const found = yield* secretsIn(part, name, options);
      if (found === undefined) return unseen();
      for (const value of found) values.add(value);
    }
    if (values.size === 0) return clean;
    // Longer values are removed first: if a window has cut a secret, the next window contains the whole secret.
    for (const value of [...values].sort((one, other) => other.length - one.length)) {
      yield;
      clean = without(clean, value);
    }
  }
  return unseen();
}

function* windowsOf(text: string, start: number, end: number): Generator<string> {
  for (let at = start; at < end; at += WINDOW) yield text.slice(at, Math.min(at + WINDOW, end) + OVERLAP);
}

/** Yields the parts of a text with a replacement, and with so much before it as a name, a key and a value need. */
function* aroundReplacements(text: string): Generator<string> {
  let start = -1;
  let end = -1;
  for (let at = text.indexOf(REDACTED); at >= 0; at = text.indexOf(REDACTED, at + REDACTED.length)) {
    if (at - OVERLAP > end) {
      if (end >= 0) yield* windowsOf(text, start, end);
      start = Math.max(0, at - OVERLAP);
    }
    end = at + REDACTED.length;
  }
  if (end >= 0) yield* windowsOf(text, start, end);
}

/** The length below which a value may also be a part of words that are no secret. */
const SHORT = 12;

function without(text: string, value: string): string {
  if (value.length < SHORT) {
    const clean = withoutWord(text, value);
    if (clean !== text) return clean;
  }
  if (value.length < CUT_OFF) return text.replaceAll(value, REDACTED);
  const [first = "", ...others] = text.split(value);
  return [first, ...others.map((behind) => behind.replace(/^[\w.~$+/=-]+/, ""))].join(REDACTED);
}

/** Removes a value where it is a whole word: the password "app" is no part of "application". */
function withoutWord(text: string, value: string): string {
  let clean = "";
  let from = 0;
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const end = at + value.length;
    if (at < from || WORD.test(text[at - 1] ?? "") || WORD.test(text[end] ?? "")) continue;
    clean += text.slice(from, at) + REDACTED;
    from = end;
  }
  return clean + text.slice(from);
}

const WORD = /[A-Za-z\d_]/;

/** Returns the secrets in a text. Returns `undefined` if the text is too long to be searched completely. */
function* secretsIn(
  text: string,
  name: string | undefined,
  { allowed = [], budget, onSecret }: Redacting,
): Generator<undefined, readonly string[] | undefined> {
  const values = new Set<string>();
  try {
    yield;
    for (const secret of new Search(allowed, budget).all(text, name)) {
      yield;
      if (values.add(secret.value).size > MAX_FOUND) return undefined;
      onSecret?.(secret);
    }
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    return undefined;
  }
  return [...values];
}
