import { assignedBy, namedSecret } from "./assignments.ts";
import { type Unescaped, withoutEscapes } from "./escapes.ts";
import { awsSecretAfter, passwordsOfFiles } from "./files.ts";
import { passwordsOfPrograms, secretOfOption } from "./options.ts";
import type { Secret, Token } from "./secret.ts";
import { decodedAt, tokensOfRun } from "./tokens.ts";
import { secretOfUrl } from "./urls.ts";

/** Thrown for more text than can be searched with a guard's usual fuel. */
export class TooMuch extends Error {}

/** The maximum length of a call's texts for searching names and values too. */
const MAX_LENGTH_FOR_NAMES = 32_768;
const MAX_LENGTH = 49_152;
const MIN_SECRET = 8;
/** The length of the shortest command with a password. */
const MIN_COMMAND = 14;
/** The maximum work, in units of a few hundred fuel. The cost per character is counted separately. */
const MAX_WORK = 350_000;
/** Cost of reaching a part of an input. */
const WORK_PER_PART = 130;
const WORK_PER_TEXT = 420;
const WORK_PER_SIGN = 160;
const WORK_PER_BEGIN = 500;
const WORK_PER_RUN = 450;
const WORK_PER_CHARACTER = 15;
const WORK_PER_DECODED = 10;
/** Cost of a possible token that was found inside of a run and rejected. */
const WORK_PER_FOUND = 1_500;

/**
 * Matches runs of characters that tokens consist of. Shorter runs are words. A slash of Base64 may follow a prefix. The
 * repetition is written out, because the
 * engine matches written-out classes at a third of the cost.
 */
const RUN = new RegExp(`\\b${"[\\w.~$+-]".repeat(8)}${"[\\w.~$+/%-]".repeat(12)}[\\w.~$+-]*`, "g");
const MIN_TOKEN = 20;
const MAX_TOKEN = 600;
const SHOWN = 4;

const NAMED = "a value whose name marks it as a secret";
const BEGIN = "-----BEGIN";
/**
 * Matches the start of a private key. In JSON and in files of variables, its lines end in `\ `, escaped once or twice.
 */
const PRIVATE_KEY = /-----BEGIN (?:[A-Z\d]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\{1,4}[nr])*[A-Za-z\d+/=:]/y;

const named = (value: string): Secret => ({ kind: NAMED, class: "named", value, shown: 0 });

/** What may be spent on several texts together. The numbers decrease. */
export interface Budget {
  /** Work, in units of a few hundred fuel. */
  work: number;
  /** The further work for each character. */
  readonly workPerCharacter?: number;
  /** Characters that are searched. */
  characters: number;
  /** Characters that are searched for names and values too, and not only for keys, URLs and tokens. */
  named: number;
}

/** Searches the texts of one call for secrets. */
export class Search {
  readonly #allowed: readonly string[];
  readonly #budget: Budget;

  /**
   * `allowed` lists texts of harmless values: a value that contains one of them is not a secret. `budget` is what this
   * search and others may spend. Default: the search has a budget of its own.
   */
  constructor(
    allowed: readonly string[],
    budget: Budget = { work: MAX_WORK, characters: MAX_LENGTH, named: MAX_LENGTH_FOR_NAMES },
  ) {
    this.#allowed = allowed;
    this.#budget = budget;
  }

  /** Returns the first secret in a text. `name` is the name of the text's field. Throws `TooMuch`. */
  find(text: string, name?: string): Secret | undefined {
    return this.all(text, name)[0];
  }

  /** Returns the secrets in a text. A value that is in the text twice may be listed twice. Throws `TooMuch`. */
  all(text: string, name?: string): readonly Secret[] {
    this.#budget.characters -= text.length;
    this.#budget.named -= text.length;
    const { workPerCharacter = 0, named } = this.#budget;
    // Text that is not searched for names takes a third of the work.
    this.#budget.work += (named < 0 ? workPerCharacter / 3 : workPerCharacter) * text.length;
    if (this.#budget.characters < 0) throw new TooMuch("more text than can be searched");
    this.#spend(WORK_PER_PART);
    if (text.length < MIN_SECRET) return NONE;
    this.#spend(WORK_PER_TEXT);
    const found: Secret[] = [];
    this.#search(text, name, found);
    const plain = withoutEscapes(text);
    if (plain !== undefined) this.#searchPlain(plain, name, found);
    return found.length === 0 ? found : found.filter((secret) => this.#counts(secret));
  }

  #counts({ value }: Secret): boolean {
    return !this.#allowed.some((part) => value.includes(part));
  }

  #spend = (work: number): void => {
    this.#budget.work -= work;
    if (this.#budget.work < 0) throw new TooMuch("more possible secrets than can be checked");
  };

  #search(text: string, name: string | undefined, found: Secret[]): void {
    // Long texts are searched for keys, URLs and tokens only.
    const isLong = this.#budget.named < 0;
    // Tokens come first, because their kind is known.
    if (text.length >= MIN_TOKEN) this.#searchRuns(text, found);
    this.#searchDashes(text, isLong, found);
    this.#searchSigns(text, isLong, found);
    if (isLong) return;
    const value = name === undefined ? undefined : namedSecret(name, text);
    if (value !== undefined) found.push(named(value));
    if (text.length < MIN_COMMAND) return;
    for (const password of passwordsOfPrograms(text, this.#spend)) {
      found.push({ kind: "a password on a command line", class: "password", value: password, shown: 0 });
    }
    for (const password of passwordsOfFiles(text, this.#spend)) {
      found.push({ kind: "a password in a file of passwords", class: "password", value: password, shown: 0 });
    }
  }

  /** Adds the secrets that only the text without escapes shows. */
  #searchPlain(plain: Unescaped, name: string | undefined, found: Secret[]): void {
    this.#spend(WORK_PER_TEXT + plain.text.length);
    const secrets: Secret[] = [];
    this.#search(plain.text, name, secrets);
    for (const secret of secrets) {
      const at = plain.text.indexOf(secret.value);
      const value = plain.spellingOf(at, at + secret.value.length);
      if (!found.some((known) => known.value === value)) found.push({ ...secret, value });
    }
  }

  /** One pass finds private keys and options, because both begin with dashes. */
  #searchDashes(text: string, isLong: boolean, found: Secret[]): void {
    for (let at = text.indexOf("--"); at >= 0; at = text.indexOf("--", at + 2)) {
      this.#spend(WORK_PER_SIGN);
      if (text.startsWith(BEGIN, at)) {
        this.#spend(WORK_PER_BEGIN);
        PRIVATE_KEY.lastIndex = at;
        const value = text.slice(at, at + MAX_TOKEN);
        if (PRIVATE_KEY.test(text)) found.push({ kind: "a private key", class: "privateKey", value, shown: 0 });
        at += BEGIN.length;
      } else if (!isLong) {
        const value = secretOfOption(text, at, this.#spend);
        if (value !== undefined) found.push(named(value));
      }
    }
  }

  /** One pass over the colons finds URLs and assignments. */
  #searchSigns(text: string, isLong: boolean, found: Secret[]): void {
    for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) {
      this.#spend(WORK_PER_SIGN);
      if (text.startsWith("//", at + 1)) {
        const secret = secretOfUrl(text, at, this.#spend);
        if (secret !== undefined) found.push(secret);
      } else if (!isLong) for (const value of assignedBy(text, at, this.#spend)) found.push(named(value));
    }
    if (isLong) return;
    for (let at = text.indexOf("="); at >= 0; at = text.indexOf("=", at + 1)) {
      this.#spend(WORK_PER_SIGN);
      for (const value of assignedBy(text, at, this.#spend)) found.push(named(value));
    }
  }

  #searchRuns(text: string, found: Secret[]): void {
    RUN.lastIndex = 0;
    // Not `matchAll`, which compiles the pattern for each text.
    for (let run = RUN.exec(text); run !== null; run = nextRun(text, run)) {
      const start = run.index;
      // A run much longer than any token is other data, so only its beginning is tested.
      const end = start + Math.min(run[0].length, MAX_TOKEN);
      this.#spend(WORK_PER_RUN + (end - start) * WORK_PER_CHARACTER);
      const tokens = tokensOfRun(text, start, end, this.#spend);
      if (tokens.length === 0) this.#searchEncoded(text, start, found);
      for (const token of tokens) pushToken(token, text, found);
    }
  }

  /** Adds the Base64 of a text with a secret. */
  #searchEncoded(text: string, at: number, found: Secret[]): void {
    const decoded = decodedAt(text, at);
    if (decoded === undefined) return;
    this.#spend(WORK_PER_FOUND + decoded.text.length * WORK_PER_DECODED);
    const secrets: Secret[] = [];
    this.#search(decoded.text, undefined, secrets);
    const [secret] = secrets.filter((one) => this.#counts(one));
    if (secret === undefined) return;
    found.push({ ...secret, kind: `${secret.kind}, encoded in Base64`, value: text.slice(at, decoded.end), shown: 0 });
  }
}

const NONE: readonly Secret[] = [];

function pushToken({ kind, at, end }: Token, text: string, found: Secret[]): void {
  found.push({ kind, class: "token", value: text.slice(at, end), shown: SHOWN });
  const key = kind === AWS ? awsSecretAfter(text, end) : undefined;
  if (key !== undefined) found.push({ kind: "an AWS secret key", class: "token", value: key, shown: 0 });
}

function nextRun(text: string, run: RegExpExecArray): RegExpExecArray | null {
  RUN.lastIndex = run.index + run[0].length;
  return RUN.exec(text);
}

const AWS = "an AWS access key";
