import { isJsonObject, type JsonValue } from "../../json.ts";

/** A part of a text from an opening brace to its closing brace, or to the end. */
export interface Region {
  readonly text: string;
  /** Whether the object has its own lines or follows a colon, and is neither a list item nor in quotation marks. */
  readonly isApart: boolean;
}

/** Characters around an object on its line that are not words. */
const MARKS = " \t\r`*";
const BLANKS = " \t\r\n\u00a0";
const OPENS_AROUND = "[,\"'“„«‹‘(";
const CLOSES_AROUND = "],\"'”“»›’)";

function isApart(text: string, open: number, end: number): boolean {
  const before = text[skip(text, open - 1, -1, MARKS)] ?? "\n";
  const behind = text[skip(text, end, 1, `${MARKS}.`)] ?? "\n";
  const around = text[skip(text, open - 1, -1, MARKS + BLANKS)] ?? "";
  const next = text[skip(text, end, 1, MARKS + BLANKS)] ?? "";
  const isQuoted = (around !== "" && OPENS_AROUND.includes(around)) || (next !== "" && CLOSES_AROUND.includes(next));
  return "\n:".includes(before) && behind === "\n" && !isQuoted;
}

/** Skips characters. A regular expression that ends in `$` would take quadratic time on a long run of blanks. */
function skip(text: string, from: number, step: 1 | -1, characters: string): number {
  let at = from;
  while (at >= 0 && at < text.length && characters.includes(text[at] as string)) at += step;
  return at;
}

/** Returns the outermost objects of a text, and the words around them. */
export function regionsOf(text: string): { readonly regions: readonly Region[]; readonly prose: string } {
  const regions: Region[] = [];
  let prose = "";
  let at = 0;
  for (let open = text.indexOf("{"); open >= 0; open = text.indexOf("{", at)) {
    const end = endOfObject(text, open);
    const before = text.slice(at, open);
    prose += `${before} `;
    regions.push({ text: text.slice(open, end), isApart: isApart(text, open, end) });
    at = end;
  }
  return { regions, prose: prose + text.slice(at) };
}

/** Returns the offset after the closing brace. Ignores braces in strings. */
function endOfObject(text: string, open: number): number {
  let depth = 0;
  let inString = false;
  for (let at = open; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === "\\") at++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{") depth++;
    else if (character === "}") {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}

/** Writes JSON in one canonical form, with sorted keys. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as JsonValue)}`).join()}}`;
}

const ESCAPED_UNIT = /\\+u([\da-f]{4})/gi;

/** Reduces a text to its letters, so that quotations are found whatever the punctuation and case. */
export function lettersOf(text: string): string {
  return text
    .replace(ESCAPED_UNIT, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .normalize("NFKC")
    .replace(/\\[nrtbf]|[^\p{L}\p{N}]/gu, "")
    .toLowerCase();
}
