import { TemplateError } from "./go-syntax.ts";

/** Splits a template into texts and the tokens of its actions. */

export interface Token {
  readonly kind: "field" | "variable" | "word" | "text" | "number" | "sign";
  /** The name of a field or variable, or the content of a text. */
  readonly value: string;
  readonly at: number;
  /** Whether white space precedes the token. */
  readonly spaced: boolean;
}

export type Piece =
  | { readonly kind: "text"; readonly text: string; readonly at: number }
  | { readonly kind: "action"; readonly tokens: readonly Token[]; readonly at: number; readonly end: number };

const SPACE = /[ \t\r\n]/;
const NAME = /[\p{L}_][\p{L}\p{Nd}_]*/uy;
const NUMBER = /[+-]?(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][+-]?\d+)?)/y;
const SIGN = /:=|[=|(),.$]/y;
const QUOTED = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'/y;
const RAW = /`[^`]*`/y;
const LAST_OF_WORD = /[\p{L}\p{Nd}_]/u;

export function scan(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  let trimsNext = false;
  while (true) {
    const open = text.indexOf("{{", at);
    const trimsThis = open >= 0 && text[open + 2] === "-" && SPACE.test(text[open + 3] ?? "");
    const between = trimmed(text.slice(at, open < 0 ? undefined : open), trimsNext, trimsThis);
    if (between !== "") pieces.push({ kind: "text", text: between, at });
    if (open < 0) return pieces;
    const action = scanAction(text, open, open + (trimsThis ? 3 : 2));
    if (action.tokens !== undefined) pieces.push({ kind: "action", tokens: action.tokens, at: open, end: action.end });
    at = action.end;
    trimsNext = action.trims;
  }
}

function trimmed(text: string, atStart: boolean, atEnd: boolean): string {
  const behind = atStart ? text.replace(/^[ \t\r\n]+/, "") : text;
  if (!atEnd) return behind;
  let end = behind.length;
  while (end > 0 && SPACE.test(behind[end - 1] as string)) end--;
  return behind.slice(0, end);
}

interface Action {
  /** The tokens of the action. `undefined` for a comment. */
  readonly tokens: readonly Token[] | undefined;
  readonly end: number;
  /** Whether the white space after the action is removed. */
  readonly trims: boolean;
}

function scanAction(text: string, open: number, from: number): Action {
  const comment = /[ \t\r\n]*\/\*/y;
  comment.lastIndex = from;
  // A comment must follow the braces or the trim marker directly.
  if (text.startsWith("/*", from) || (text[from - 1] === "-" && comment.test(text))) return skipComment(text, open);
  const tokens: Token[] = [];
  let at = from;
  let spaced = true;
  while (true) {
    const end = endOfAction(text, at);
    if (end !== undefined) return { tokens, ...end };
    if (at >= text.length) throw new TemplateError("the action is not closed with }}", open);
    if (SPACE.test(text[at] as string)) {
      at++;
      spaced = true;
      continue;
    }
    const [token, next] = scanToken(text, at, spaced);
    tokens.push(token);
    at = next;
    spaced = false;
  }
}

function endOfAction(text: string, at: number): Pick<Action, "end" | "trims"> | undefined {
  if (text.startsWith("}}", at)) return { end: at + 2, trims: false };
  const trims = SPACE.test(text[at] ?? "") && text.startsWith("-}}", at + 1);
  return trims ? { end: at + 4, trims } : undefined;
}

function skipComment(text: string, open: number): Action {
  const close = text.indexOf("*/", open);
  if (close < 0) throw new TemplateError("the comment is not closed with */", open);
  const end = endOfAction(text, close + 2);
  if (end === undefined) throw new TemplateError("an action with a comment must not contain anything else", open);
  return { tokens: undefined, ...end };
}

function scanToken(text: string, at: number, spaced: boolean): readonly [Token, number] {
  const match = (pattern: RegExp, from = at): string | undefined => {
    pattern.lastIndex = from;
    return pattern.exec(text)?.[0];
  };
  const token = (kind: Token["kind"], value: string, length: number): readonly [Token, number] => [
    { kind, value, at, spaced },
    at + length,
  ];
  const character = text[at] as string;
  const number = match(NUMBER);
  if (number !== undefined) {
    if (LAST_OF_WORD.test(text[at + number.length] ?? "")) throw new TemplateError("this is not a number", at);
    return token("number", number, number.length);
  }
  const name = character === "." || character === "$" ? match(NAME, at + 1) : undefined;
  if (name !== undefined) return token(character === "." ? "field" : "variable", name, name.length + 1);
  const word = match(NAME);
  if (word !== undefined) return token("word", word, word.length);
  const raw = match(RAW);
  if (raw !== undefined) return token("text", raw.slice(1, -1).replaceAll("\r", ""), raw.length);
  const quoted = match(QUOTED);
  if (quoted !== undefined) {
    const value = unquoted(quoted.slice(1, -1), at);
    return character === '"' ? token("text", value, quoted.length) : characterToken(token, value, quoted.length, at);
  }
  if (character === '"' || character === "'" || character === "`") {
    throw new TemplateError("the text is not closed on its line", at);
  }
  const sign = match(SIGN);
  if (sign !== undefined) return token("sign", sign, sign.length);
  throw new TemplateError(`${JSON.stringify(character)} is not allowed here`, at);
}

type MakeToken = (kind: Token["kind"], value: string, length: number) => readonly [Token, number];

/** Returns the token of `'a'`, which is a number in Go. */
function characterToken(token: MakeToken, value: string, length: number, at: number): readonly [Token, number] {
  const [only, ...more] = value;
  if (only === undefined || more.length > 0)
    throw new TemplateError("single quotes must contain exactly one character", at);
  return token("number", String(only.codePointAt(0)), length);
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
};

const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|(.))/g;

function unquoted(text: string, at: number): string {
  return text.replace(ESCAPE, (whole: string, ...groups: (string | undefined)[]) => {
    const [byte, unit, wide, octal, letter] = groups;
    if (letter !== undefined && Object.hasOwn(ESCAPES, letter)) return ESCAPES[letter] as string;
    const code = octal === undefined ? Number.parseInt(byte ?? unit ?? wide ?? "", 16) : Number.parseInt(octal, 8);
    const isByte = byte !== undefined || octal !== undefined;
    if (Number.isNaN(code) || code > (isByte ? 0x7f : 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) {
      throw new TemplateError(`${whole} is not a valid escape sequence`, at);
    }
    return String.fromCodePoint(code);
  });
}
