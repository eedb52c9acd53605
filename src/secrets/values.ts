// Decides whether a value after a secret's name is a secret, and no placeholder, word or expression.

import { decodedStart, isWords } from "./checks.ts";
import { isPasswordName } from "./names.ts";

export const PLACEHOLDER =
  /[$%]\w*[({]|^\$\w|^%\w+%$|[<>{}[\]]|\*\*|\.\.\.|xxxx|(?:^|[^a-z])(?:example|sample|dummy|fake|test|mock|your|change|replace|insert|todo|redacted|placeholder|none|null|undefined|true|false|secret|password|env)(?:[^a-z]|$)|change_?me|your_|_here|localhost/i;

/** Whether the value of a secret's name is a secret. `name` is the end of the name, in lower case. */
export function isSecret(value: string, isQuoted: boolean, name: string): boolean {
  if (PLACEHOLDER.test(value)) return false;
  if (name.endsWith("auth")) return isPair(value) || (/auth[_-]?token$/.test(name) && isToken(value, isQuoted));
  if (name.endsWith("authorization") && isPair(value)) return true;
  if (name.endsWith("data")) return value.startsWith("LS0tLS1CRUdJTi") && isPrivate(value);
  // The key of an Azure storage account is 64 bytes in base64.
  if (name.endsWith("accountkey")) return /^[A-Za-z\d+/]{86}==$/.test(value);
  return isPasswordName(name) ? isPassword(value, isQuoted) : isToken(value, isQuoted);
}

/** Whether a value is the Base64 of `user:password`. */
function isPair(value: string): boolean {
  if (!/^[A-Za-z\d+/_-]{10,}={0,2}$/.test(value)) return false;
  const [, password] = /^[!-9;-~]{1,60}:([!-~]{4,})$/.exec(decodedStart(value)) ?? [];
  return password !== undefined && !PLACEHOLDER.test(password);
}

function isPrivate(value: string): boolean {
  return /PRIVATE KEY/.test(decodedStart(value, 80));
}

/** Whether a value looks like a password: not a word, not an expression, and hard to guess. */
export function isPassword(value: string, isQuoted: boolean): boolean {
  if (
    /\s/.test(value) ||
    !(/\d/.test(value) || (isQuoted && /[A-Za-z].*[!@#$%^&*?+]|[!@#$%^&*?+].*[A-Za-z]/.test(value)))
  ) {
    return false;
  }
  return (isQuoted || !/[.(]/.test(value)) && entropy(value) >= 2.5;
}

const MIN_TOKEN = 16;

/**
 * Whether a value looks like a token: characters of tokens, and neither a sentence, nor names joined by dots and
 * dashes, nor an expression.
 */
function isToken(value: string, isQuoted: boolean): boolean {
  if (value.length < MIN_TOKEN || !/^[\w.~+/=-]+$/.test(value) || isWords(value)) return false;
  if (isQuoted) return true;
  return /\d/.test(value)
    ? !/^[a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)+$/.test(value)
    : /^(?:[a-z]{20,}|[A-Z]{20,})$/.test(value);
}

const MIN_ISSUERS = 14;

/** Whether a value after an issuer's name is its key: like a token, but shorter, and without a digit. */
export function isIssuersKey(value: string): boolean {
  if (value.length < MIN_ISSUERS || PLACEHOLDER.test(value)) return false;
  return /^[\w~+/=-]+$/.test(value) && !/[/]{2}|^\/|\/$/.test(value) && !isWords(value);
}

/** Returns the entropy in bits per character: 0 for one repeated character, 4 for random hexadecimal digits. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
