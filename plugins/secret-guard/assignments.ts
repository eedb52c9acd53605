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
]);
/** Names in `key` are, when it is a key of this sort. */
const KEYS: ReadonlySet<string> = new Set([
  // api, access, account, auth, secret, private, sdk, signing, encryption, license
  ...["api", "ess", "unt", "uth", "ret", "ate", "sdk", "ing", "ion", "nse"],
]);
const MAX_NAME = 16;

const WORK_PER_SIGN = 180;
const WORK_PER_VALUE = 1_000;

/** A value in quotes, or up to a blank. */
const VALUE = /[=>]?[ \t]*(?:"([^"\n]{8,200})"|'([^'\n]{8,200})'|([\w.~+/!@#%^*-]{8,200}={0,2})(?=[\s;,&"'`]|$))/y;

const PLACEHOLDER =
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
      spend(WORK_PER_VALUE);
      VALUE.lastIndex = at + 1;
      const found = VALUE.exec(text);
      const value = found?.[1] ?? found?.[2] ?? found?.[3];
      if (value === undefined || PLACEHOLDER.test(value)) continue;
      const isQuoted = found?.[3] === undefined;
      const isLikely = /(?:d|phrase)$/.test(name) ? isPassword(value, isQuoted) : isToken(value, isQuoted, name);
      if (isLikely) yield value;
    }
  }
}

function isSecretName(name: string): boolean {
  const ending = name.slice(-3);
  if (ending !== "key") return ENDINGS.get(ending)?.test(name) === true;
  const before = name.at(-4);
  const end = before === "_" || before === "-" ? -4 : -3;
  return KEYS.has(name.slice(end - 3, end));
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
function isPassword(value: string, isQuoted: boolean): boolean {
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
