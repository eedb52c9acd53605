import { assignedSecrets, namedSecret } from "./assignments.ts";
import type { Secret } from "./formats.ts";
import { kindByShape, kindOf } from "./formats.ts";
import { passwordsOfCurl, secretsInOptions } from "./options.ts";
import { secretsInUrls } from "./urls.ts";

/** Thrown for more text than can be searched with a guard's usual fuel. */
export class TooMuch extends Error {}

/** The maximum length of a call's texts for searching names and values too. */
const MAX_LENGTH_FOR_NAMES = 32_768;
const MAX_LENGTH = 49_152;
const MIN_SECRET = 8;
/** The maximum work, in units of a few hundred fuel. The cost per character is counted separately. */
const MAX_WORK = 350_000;
/** Cost of reaching a part of an input. */
const WORK_PER_PART = 130;
const WORK_PER_TEXT = 280;
const WORK_PER_BEGIN = 500;
const WORK_PER_CANDIDATE = 150;
const WORK_PER_EMBEDDED = 350;
const WORK_PER_CHARACTER = 15;
/** Cost of a possible token that was found inside of a run and rejected. */
const WORK_PER_FOUND = 1_500;

/**
 * Matches runs of characters that tokens consist of. Shorter runs are words. The repetition is written out, because the
 * engine matches twelve written-out classes at a third of the cost.
 */
const CANDIDATE = new RegExp(`\\b(?:\\d{8,16}:)?${"[\\w.~$+-]".repeat(12)}[\\w.~$+-]*`, "g");
const MIN_SHAPED = 32;
const MAX_TOKEN = 600;
/** Prefixes that also start a token in the middle of a run. */
const EMBEDDED = ["ghp_", "github_pat_", "glpat-", "AKIA", "dckr_pat_", "dckr_oat_", "npm_", "xoxb-", "sk-ant-"];
const MIN_EMBEDDED = 20;

const NAMED = "a value whose name marks it as a secret";
const BEGIN = "-----BEGIN";
/**
 * Matches the start of a private key. In JSON and in files of variables, its lines end in `\ `, escaped once or twice.
 */
const PRIVATE_KEY = /-----BEGIN (?:[A-Z\d]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\{1,4}[nr])*[A-Za-z\d+/=:]/y;

/** Searches the texts of one call for secrets. */
export class Search {
  readonly #allowed: readonly string[];
  #characters = 0;
  #left = MAX_WORK;

  /** `allowed` lists texts of harmless values: a value that contains one of them is not a secret. */
  constructor(allowed: readonly string[]) {
    this.#allowed = allowed;
  }

  /** Returns the first secret in a text. `name` is the name of the text's field. Throws `TooMuch`. */
  find(text: string, name?: string): Secret | undefined {
    this.#characters += text.length;
    if (this.#characters > MAX_LENGTH) throw new TooMuch(`more than ${MAX_LENGTH} characters`);
    this.#spend(WORK_PER_PART);
    if (text.length < MIN_SECRET) return undefined;
    this.#spend(WORK_PER_TEXT);
    for (const secret of this.#secretsIn(text, name)) {
      if (!this.#allowed.some((part) => secret.value.includes(part))) return secret;
    }
    return undefined;
  }

  #spend = (work: number): void => {
    this.#left -= work;
    if (this.#left < 0) throw new TooMuch("more possible secrets than can be checked");
  };

  *#secretsIn(text: string, name: string | undefined): Generator<Secret> {
    for (let at = text.indexOf(BEGIN); at >= 0; at = text.indexOf(BEGIN, at + 1)) {
      this.#spend(WORK_PER_BEGIN);
      PRIVATE_KEY.lastIndex = at;
      if (PRIVATE_KEY.test(text)) yield { kind: "a private key", value: text.slice(at, at + MAX_TOKEN), shown: 0 };
    }
    if (text.includes("://")) yield* secretsInUrls(text, this.#spend);
    yield* this.#tokensIn(text);
    if (this.#characters > MAX_LENGTH_FOR_NAMES) return;
    const named = name === undefined ? undefined : namedSecret(name, text);
    if (named !== undefined) yield { kind: NAMED, value: named, shown: 0 };
    for (const value of assignedSecrets(text, this.#spend)) yield { kind: NAMED, value, shown: 0 };
    if (text.includes("--")) {
      for (const value of secretsInOptions(text, this.#spend)) yield { kind: NAMED, value, shown: 0 };
    }
    if (!text.includes("curl ")) return;
    for (const value of passwordsOfCurl(text, this.#spend)) {
      yield { kind: "a password for curl", value, shown: 0 };
    }
  }

  *#tokensIn(text: string): Generator<Secret> {
    for (const run of text.match(CANDIDATE) ?? []) {
      // A run much longer than any token is other data, so only its beginning is tested.
      const candidate = run.length > MAX_TOKEN ? run.slice(0, MAX_TOKEN) : run;
      this.#spend(WORK_PER_CANDIDATE);
      const kind = kindOf(candidate) ?? (candidate.length < MIN_SHAPED ? undefined : kindByShape(candidate));
      if (kind !== undefined) yield { kind, value: candidate, shown: 4 };
      else if (candidate.length >= MIN_EMBEDDED) yield* this.#embeddedIn(candidate);
    }
  }

  *#embeddedIn(candidate: string): Generator<Secret> {
    this.#spend(WORK_PER_EMBEDDED + candidate.length * WORK_PER_CHARACTER);
    for (const prefix of EMBEDDED) {
      const at = candidate.indexOf(prefix, 1);
      if (at < 0) continue;
      this.#spend(WORK_PER_FOUND);
      const value = candidate.slice(at);
      const kind = kindOf(value);
      if (kind !== undefined) yield { kind, value, shown: 4 };
    }
  }
}
