// Finds secrets without a known format by the name that is assigned: `password = "…"`, `API_TOKEN=…`, `"client_secret":
// "…"`.

/** The last letters of names of secrets, for a fast first test. */
const LAST_LETTERS: ReadonlySet<number> = new Set([..."dentlsy"].map((char) => char.charCodeAt(0)));

/** Patterns for names of secrets, by the last three letters of the name. */
const ENDINGS: ReadonlyMap<string, RegExp> = new Map([
  ["ord", /password$/],
  ["swd", /passwd$/],
  ["pwd", /pwd$/],
  ["ase", /passphrase$/],
  ["ret", /secret$/],
  ["ken", /token$/],
  ["ial", /credential$/],
  ["als", /credentials$/],
  ["ion", /authorization$/],
]);
/** Names of values that mark a position in a list or select a row, and give no access. */
const HARMLESS_NAME = /(?:page|next|inuation|sync|delta|cursor|ellation)[_-]?token$|partition[_-]?key$/;
/** The last three letters before `key` in names of secrets. */
const KEYS: ReadonlySet<string> = new Set([
  // The list stands for api, access, account, auth, secret, private, sdk, signing, encryption, license.
  ...["api", "ess", "unt", "uth", "ret", "ate", "sdk", "ing", "ion", "nse"],
]);
const MAX_NAME = 16;
/** The maximum length of a named secret. Longer values are neither passwords nor tokens of an unknown format. */
const MAX_NAMED = 208;

const WORK_PER_SIGN = 180;
const WORK_PER_VALUE = 1_000;

/** Matches a value in quotes, or up to the next whitespace. */
const VALUE = /[=>]?[ \t]*(?:"([^"\n]{8,200})"|'([^'\n]{8,200})'|([\w.~+/!@#%^*-]{8,200}={0,2})(?=[\s;,&"'`]|$))/y;

/** Matches the scheme between `Authorization:` and the token. */
const SCHEME = /[ \t"'`]*(?:(?:bearer|basic|token|apikey)[ \t]+)?/iy;

export const PLACEHOLDER =
  /[$%]\w*[({]|^\$\w|^%\w+%$|[<>{}[\]]|\*\*|\.\.\.|xxxx|(?:^|[^a-z])(?:example|sample|dummy|fake|test|mock|your|change|replace|insert|todo|redacted|placeholder|none|null|undefined|true|false|secret|password|env)(?:[^a-z]|$)|change_?me|your_|_here|localhost/i;

/** Yields the secrets that are assigned in a text. Calls `spend` for each assignment sign. */
export function* assignedSecrets(text: string, spend: (work: number) => void): Generator<string> {
  for (const sign of [":", "="]) {
    for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) {
      spend(WORK_PER_SIGN);
      const end = endOfName(text, at);
      if (!LAST_LETTERS.has(text.charCodeAt(end - 1) | 0x20)) continue;
      const name = text.slice(Math.max(0, end - MAX_NAME), end).toLowerCase();
      if (!isSecretName(name)) continue;
      const value = assignedAt(text, at + 1, name, spend);
      if (value !== undefined) yield value;
    }
  }
}

/** Returns the secret after a name and its assignment sign. Returns `undefined` if the value is not a secret. */
export function assignedAt(text: string, at: number, name: string, spend: (work: number) => void): string | undefined {
  spend(WORK_PER_VALUE);
  VALUE.lastIndex = at + (name.endsWith("authorization") ? schemeAt(text, at) : 0);
  const found = VALUE.exec(text);
  const value = found?.[1] ?? found?.[2] ?? found?.[3];
  return value !== undefined && isSecret(value, found?.[3] === undefined, name) ? value : undefined;
}

/** Returns the secret in the text of an object's field, judged by the field's name; otherwise `undefined`. */
export function namedSecret(key: string, text: string): string | undefined {
  if (text.length > MAX_NAMED || !LAST_LETTERS.has(key.charCodeAt(key.length - 1) | 0x20)) return undefined;
  const name = key.slice(-MAX_NAME).toLowerCase();
  if (!isSecretName(name)) return undefined;
  const value = (name.endsWith("authorization") ? text.slice(schemeAt(text, 0)) : text).trim();
  return value.length >= 8 && isSecret(value, true, name) ? value : undefined;
}

function schemeAt(text: string, at: number): number {
  SCHEME.lastIndex = at;
  return SCHEME.exec(text)?.[0].length ?? 0;
}

function isSecret(value: string, isQuoted: boolean, name: string): boolean {
  if (PLACEHOLDER.test(value)) return false;
  return /(?:d|phrase)$/.test(name) ? isPassword(value, isQuoted) : isToken(value, isQuoted, name);
}

/** Whether a name is that of a secret. `name` is the end of the name, in lower case. */
export function isSecretName(name: string): boolean {
  const ending = name.slice(-3);
  if (ending !== "key") return ENDINGS.get(ending)?.test(name) === true && !HARMLESS_NAME.test(name);
  const before = name.at(-4);
  const end = before === "_" || before === "-" ? -4 : -3;
  return KEYS.has(name.slice(end - 3, end)) && !HARMLESS_NAME.test(name);
}

const QUOTES_AND_BLANKS: ReadonlySet<number> = new Set([..." \t\"'`"].map((char) => char.charCodeAt(0)));
const MAX_GAP = 8;

/** Returns the end of the name before an assignment sign. */
function endOfName(text: string, sign: number): number {
  let end = sign;
  while (end > sign - MAX_GAP && QUOTES_AND_BLANKS.has(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

/** Whether a value looks like a password: not a word, not an expression, and hard to guess. */
export function isPassword(value: string, isQuoted: boolean): boolean {
  if (/\s/.test(value) || !/\d/.test(value)) return false;
  return (isQuoted || !/[.(]/.test(value)) && entropy(value) >= 2.5;
}

/**
 * Whether a value looks like a token: characters of tokens, and neither a sentence, nor names joined by dots and
 * dashes, nor an expression.
 */
function isToken(value: string, isQuoted: boolean, name: string): boolean {
  // The key of an Azure storage account is 64 bytes in base64.
  if (name.endsWith("accountkey")) return /^[A-Za-z\d+/]{86}==$/.test(value);
  if (value.length < 16 || !/^[\w.~+/=-]+$/.test(value) || isWords(value)) return false;
  if (isQuoted) return true;
  return /\d/.test(value)
    ? !/^[a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)+$/.test(value)
    : /^(?:[a-z]{20,}|[A-Z]{20,})$/.test(value);
}

/** Whether a value consists of words, such as `cancellation-token-source` or `config/keys/main.pem`. */
function isWords(value: string): boolean {
  return value.split(/[-_./~]|(?<=[a-z])(?=[A-Z])/).every((part) => /^(?:[A-Za-z]{0,15}\d{0,2})$/.test(part));
}

/** Returns the entropy in bits per character: 0 for one repeated character, 4 for random hexadecimal digits. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
