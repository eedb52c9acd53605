// `password = "…"`, `API_TOKEN=…`, `"client_secret": "…"`: no looks of its own, but a name that says what it is.

/** Letters in which names of secrets end. */
const LAST_LETTERS: ReadonlySet<number> = new Set([..."dentlsy"].map((char) => char.charCodeAt(0)));

/** Names that end so are looked at, by their last three letters. */
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
/** They say where a list goes on or which row is meant, and open nothing. */
const HARMLESS_NAME = /(?:page|next|inuation|sync|delta|cursor|ellation)[_-]?token$|partition[_-]?key$/;
/** Names in `key` are, when it is a key of this sort. */
const KEYS: ReadonlySet<string> = new Set([
  // api, access, account, auth, secret, private, sdk, signing, encryption, license
  ...["api", "ess", "unt", "uth", "ret", "ate", "sdk", "ing", "ion", "nse"],
]);
const MAX_NAME = 16;
/** What is longer is no password and no token of an unknown look. */
const MAX_NAMED = 208;

const WORK_PER_SIGN = 180;
const WORK_PER_VALUE = 1_000;

/** A value in quotes, or up to a blank. */
const VALUE = /[=>]?[ \t]*(?:"([^"\n]{8,200})"|'([^'\n]{8,200})'|([\w.~+/!@#%^*-]{8,200}={0,2})(?=[\s;,&"'`]|$))/y;

/** What stands between `Authorization:` and the token. */
const SCHEME = /[ \t"'`]*(?:(?:bearer|basic|token|apikey)[ \t]+)?/iy;

export const PLACEHOLDER =
  /[$%]\w*[({]|^\$\w|^%\w+%$|[<>{}[\]]|\*\*|\.\.\.|xxxx|(?:^|[^a-z])(?:example|sample|dummy|fake|test|mock|your|change|replace|insert|todo|redacted|placeholder|none|null|undefined|true|false|secret|password|env)(?:[^a-z]|$)|change_?me|your_|_here|localhost/i;

/** Looks for secrets in assignments, and gives their values. `spend` is told of each sign that is looked at. */
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

/** The secret that stands behind a name and its sign, if one does. */
export function assignedAt(text: string, at: number, name: string, spend: (work: number) => void): string | undefined {
  spend(WORK_PER_VALUE);
  VALUE.lastIndex = at + (name.endsWith("authorization") ? schemeAt(text, at) : 0);
  const found = VALUE.exec(text);
  const value = found?.[1] ?? found?.[2] ?? found?.[3];
  return value !== undefined && isSecret(value, found?.[3] === undefined, name) ? value : undefined;
}

/** The secret in a whole text that is called so, as a member of an object is. */
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

/** Of the end of a name, in small letters. */
export function isSecretName(name: string): boolean {
  const ending = name.slice(-3);
  if (ending !== "key") return ENDINGS.get(ending)?.test(name) === true && !HARMLESS_NAME.test(name);
  const before = name.at(-4);
  const end = before === "_" || before === "-" ? -4 : -3;
  return KEYS.has(name.slice(end - 3, end)) && !HARMLESS_NAME.test(name);
}

const QUOTES_AND_BLANKS: ReadonlySet<number> = new Set([..." \t\"'`"].map((char) => char.charCodeAt(0)));
const MAX_GAP = 8;

/** Where the name before a sign of assignment ends. */
function endOfName(text: string, sign: number): number {
  let end = sign;
  while (end > sign - MAX_GAP && QUOTES_AND_BLANKS.has(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

/** Not a word, not an expression, and hard to guess. */
export function isPassword(value: string, isQuoted: boolean): boolean {
  if (/\s/.test(value) || !/\d/.test(value)) return false;
  return (isQuoted || !/[.(]/.test(value)) && entropy(value) >= 2.5;
}

/** Characters of tokens, and neither a sentence, nor names joined by dots and dashes, nor an expression. */
function isToken(value: string, isQuoted: boolean, name: string): boolean {
  // An Azure storage account's key is 64 bytes in base64.
  if (name.endsWith("accountkey")) return /^[A-Za-z\d+/]{86}==$/.test(value);
  if (value.length < 16 || !/^[\w.~+/=-]+$/.test(value) || isWords(value)) return false;
  if (isQuoted) return true;
  return /\d/.test(value)
    ? !/^[a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)+$/.test(value)
    : /^(?:[a-z]{20,}|[A-Z]{20,})$/.test(value);
}

/** `cancellation-token-source`, `my_database.secretName`, `config/keys/main.pem`. */
function isWords(value: string): boolean {
  return value.split(/[-_./~]|(?<=[a-z])(?=[A-Z])/).every((part) => /^(?:[A-Za-z]{0,15}\d{0,2})$/.test(part));
}

/** Bits for each character: 0 for a single one repeated, 4 for random hexadecimal digits. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
