// Finds secrets without a known format by the name that is assigned: `password = "…"`, `API_TOKEN=…`, `"client_secret":
// "…"`.

import { isIssuersName, isSecretName, MAX_ISSUERS_NAME, mayEndName, nameBefore } from "./names.ts";
import { isIssuersKey, isSecret } from "./values.ts";

/** The maximum length of a named secret. Longer values are neither passwords nor tokens of an unknown format. */
const MAX_NAMED = 208;

const WORK_PER_NAME = 300;
const WORK_PER_VALUE = 1_000;
const WORK_PER_ISSUER = 2_500;
const WORK_PER_CHARACTER = 8;

/** Matches a value in quotes, which may be escaped, or up to the next whitespace or bracket. */
const VALUE =
  /[=>]?[ \t]*(?:"([^"\n]{8,200})"|'([^'\n]{8,200})'|\\{1,4}["']([^"'\\\n]{8,200})\\{1,4}["']|([\w.~+/!@#%^*-]{8,200}={0,2})(?=[\s;,&"'`)}\]<\\|]|$))/y;

/** Matches the scheme between `Authorization:` and the token. */
const SCHEME = /[ \t"'`]*(?:(?:bearer|basic|token|apikey|api-key)[ \t]+)?/iy;

/** Returns the secrets that are assigned with the sign at a place in a text: one, or several in a line of cookies. */
export function assignedBy(text: string, sign: number, spend: (work: number) => void): readonly string[] {
  const end = endOfName(text, sign);
  if (!mayEndName(text, end)) return NONE;
  spend(WORK_PER_NAME);
  const value = assignedAt(text, sign + 1, nameBefore(text, end), spend) ?? issuersKeyAt(text, sign + 1, end, spend);
  if (value !== undefined) return [value];
  return COOKIE.test(text.slice(end - 6, end)) ? secretsInCookies(text, sign + 1, spend) : NONE;
}

const NONE: readonly string[] = [];

/** Returns the secret after a secret's name and its assignment sign. Returns `undefined` if there is none. */
export function assignedAt(text: string, at: number, name: string, spend: (work: number) => void): string | undefined {
  if (!isSecretName(name)) return undefined;
  spend(WORK_PER_VALUE);
  VALUE.lastIndex = at + (name.endsWith("authorization") ? schemeAt(text, at) : 0);
  const found = VALUE.exec(text);
  const value = found?.[1] ?? found?.[2] ?? found?.[3] ?? found?.[4];
  return value !== undefined && isSecret(value, found?.[4] === undefined, name) ? value : undefined;
}

/** Matches a value that may be an issuer's key, which is not written in a phrase or in an expression. */
const ISSUERS_VALUE = /[=>]?[ \t]*\\{0,4}["'`]?([\w.~+/-]{14,200}={0,2})(?=[\s;,&"'`)}\]<\\|]|$)/y;

/** Returns the key after a name that holds an issuer, such as `CODECOV_TOKEN=`. */
function issuersKeyAt(text: string, at: number, end: number, spend: (work: number) => void): string | undefined {
  ISSUERS_VALUE.lastIndex = at;
  const value = ISSUERS_VALUE.exec(text)?.[1];
  if (value === undefined) return undefined;
  spend(WORK_PER_ISSUER);
  if (!isIssuersKey(value)) return undefined;
  const words = text.slice(Math.max(0, end - MAX_ISSUERS_NAME), end).toLowerCase();
  const name = words.slice(Math.max(...[" ", "\n", '"', "'", ","].map((sign) => words.lastIndexOf(sign))) + 1);
  return isIssuersName(name) ? value : undefined;
}

const COOKIE = /cookie$/i;
const MAX_COOKIES = 1_000;
/** Matches a cookie whose value is no word. */
const COOKIE_VALUE = /[\w.-]{1,40}=((?=[^;\s"']*\d)[\w.~+/%|:=-]{20,})/g;

function secretsInCookies(text: string, at: number, spend: (work: number) => void): string[] {
  const line = /^[^\n"']*/.exec(text.slice(at, at + MAX_COOKIES))?.[0] ?? "";
  spend(WORK_PER_VALUE + line.length * WORK_PER_CHARACTER);
  return Array.from(line.matchAll(COOKIE_VALUE), ([, value = ""]) => value);
}

/** Returns the secret in the text of an object's field, judged by the field's name; otherwise `undefined`. */
export function namedSecret(key: string, text: string): string | undefined {
  if (text.length > MAX_NAMED || !mayEndName(key, key.length)) return undefined;
  const name = nameBefore(key, key.length);
  if (!isSecretName(name)) return isIssuersKey(text) && isIssuersName(key.toLowerCase()) ? text : undefined;
  const value = (name.endsWith("authorization") ? text.slice(schemeAt(text, 0)) : text).trim();
  return value.length >= 8 && isSecret(value, true, name) ? value : undefined;
}

function schemeAt(text: string, at: number): number {
  SCHEME.lastIndex = at;
  return SCHEME.exec(text)?.[0].length ?? 0;
}

const BETWEEN: ReadonlySet<number> = new Set([..." \t\"'`\\]?"].map((char) => char.charCodeAt(0)));
const MAX_GAP = 8;

/** Returns the end of the name before an assignment sign. Skips quotes, brackets, and the type of a constant. */
function endOfName(text: string, sign: number): number {
  let end = sign;
  while (end > sign - MAX_GAP && BETWEEN.has(text.charCodeAt(end - 1))) end -= 1;
  if (text.charCodeAt(end - 1) !== LETTER_G) return end;
  return end - (/\??:[ \t]*(?:string|String)$/.exec(text.slice(Math.max(0, end - 12), end))?.[0].length ?? 0);
}

const LETTER_G = 0x67;
