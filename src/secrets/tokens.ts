import { decodedStart } from "./checks.ts";
import { CLOUD } from "./formats/cloud.ts";
import { CODE } from "./formats/code.ts";
import { endOfToken, type Format, formatsOf } from "./formats/format.ts";
import { MESSAGES } from "./formats/messages.ts";
import { MODELS } from "./formats/models.ts";
import { PAYMENT } from "./formats/payment.ts";
import { SERVICES } from "./formats/services.ts";
import type { Token } from "./secret.ts";
import { shapeAt } from "./shapes.ts";

/** All formats with a prefix. A longer prefix comes before a shorter one, because it names the issuer better. */
const FORMATS: readonly Format[] = [CLOUD, CODE, MODELS, PAYMENT, MESSAGES, SERVICES]
  .flatMap(formatsOf)
  .sort((one, other) => other.prefix.length - one.prefix.length);

type Spend = (work: number) => void;

/** Cost of a pattern and its check. */
const WORK_PER_FORMAT = 900;
const KEY_LENGTH = 2;
const BY_START = new Map<string, Format[]>();
for (const format of FORMATS) {
  const start = format.prefix.slice(0, KEY_LENGTH);
  BY_START.set(start, [...(BY_START.get(start) ?? []), format]);
}

/** Returns the token that begins at a place in a text, or `undefined` if no format matches there. */
function tokenAt(text: string, at: number, spend: Spend): Token | undefined {
  for (const format of BY_START.get(text.slice(at, at + KEY_LENGTH)) ?? []) {
    if (!text.startsWith(format.prefix, at)) continue;
    spend(WORK_PER_FORMAT);
    const end = endOfToken(format, text, at);
    if (end >= 0) return { kind: format.kind, at, end };
  }
  return undefined;
}

/**
 * Matches prefixes that also start a token in the middle of a run, where other text was put before the token. The first
 * letters are one class before all rests, because that is four times as fast. The formats decide.
 */
const EMBEDDED =
  /[gAdnpxsre](?:h[opsur]_|ithub_pat_|lpat-|[KS]IA|Iza|ckr_[op]at_|pm_|ypi-|ox[bp]-|k-ant-|k-proj-|k_live_|yJ)/g;

/** Returns the tokens in a run of characters. The run may begin with the end of an escape such as `\n` or `%3D`. */
export function tokensOfRun(text: string, start: number, end: number, spend: Spend): readonly Token[] {
  const tokens: Token[] = [];
  const first = start + escapeBefore(text, start);
  let at = first;
  for (;;) {
    const token =
      (at === first ? (tokenAt(text, at, spend) ?? shapeAt(text, at, end)) : undefined) ??
      tokenInside(text, at, end, spend);
    if (token === undefined) return tokens;
    tokens.push(token);
    at = token.end;
  }
}

/** Returns the first token that begins inside of a run of characters. */
function tokenInside(text: string, start: number, end: number, spend: Spend): Token | undefined {
  if (end - start < MIN_TOKEN) return undefined;
  const run = text.slice(start, end);
  EMBEDDED.lastIndex = 0;
  for (let found = EMBEDDED.exec(run); found !== null; found = EMBEDDED.exec(run)) {
    const token = tokenAt(text, start + found.index, spend);
    if (token !== undefined) return token;
  }
  return undefined;
}

/** The length of the shortest token that is found inside of a run. */
const MIN_TOKEN = 20;

/** Returns the number of characters that belong to an escape before the run. */
function escapeBefore(text: string, start: number): number {
  const before = text.charCodeAt(start - 1);
  if (before === BACKSLASH) return /[nrtbfv]/.test(text[start] ?? "") ? 1 : 0;
  return before === PERCENT && /^[\dA-Fa-f]{2}/.test(text.slice(start, start + 2)) ? 2 : 0;
}

const BACKSLASH = 0x5c;
const PERCENT = 0x25;

/** Matches the Base64 of a text whose first two characters are printable. */
const BASE_64 = /[I-Za-f][\w+/-]{27,4000}={0,2}/y;

/** Returns the text behind a Base64 at a place. Returns `undefined` for other runs and for the Base64 of binary data. */
export function decodedAt(text: string, at: number): { readonly text: string; readonly end: number } | undefined {
  BASE_64.lastIndex = at;
  if (!BASE_64.test(text)) return undefined;
  const end = BASE_64.lastIndex;
  if (!isPrintable(decodedStart(text.slice(at, at + 12)))) return undefined;
  const decoded = decodedStart(text.slice(at, end), MAX_ENCODED);
  return isPrintable(decoded) ? { text: decoded, end } : undefined;
}

const MAX_ENCODED = 4_000;

function isPrintable(text: string): boolean {
  return /^[\t\n\r -~]{6,}$/.test(text);
}
