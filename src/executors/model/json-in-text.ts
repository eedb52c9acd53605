import { isJsonObject, type JsonValue } from "../../event.ts";

/** A part of a text from a brace to the one that closes it, or to the end. */
export interface Region {
  readonly text: string;
  /** Whether it is an item of a list, or stands in quotation marks. */
  readonly isWithin: boolean;
}

const OPENS_AROUND = /[[,"']\s*$/;
const CLOSES_AROUND = /^\s*[\],"']/;

/** The objects of a text, none of them within another, and the words around them. */
export function regionsOf(text: string): { readonly regions: readonly Region[]; readonly prose: string } {
  const regions: Region[] = [];
  let prose = "";
  let at = 0;
  for (let open = text.indexOf("{"); open >= 0; open = text.indexOf("{", at)) {
    const end = endOfObject(text, open);
    const before = text.slice(at, open);
    prose += `${before} `;
    const isWithin = OPENS_AROUND.test(before.slice(-8)) || CLOSES_AROUND.test(text.slice(end, end + 8));
    regions.push({ text: text.slice(open, end), isWithin });
    at = end;
  }
  return { regions, prose: prose + text.slice(at) };
}

/** Braces in strings do not count. */
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

/** One text for all ways to write the same. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as JsonValue)}`).join()}}`;
}

/** Whether one text has the other in it, however it is escaped, spaced, and in whichever case. */
export function contains(text: string, part: string): boolean {
  return bare(text).includes(bare(part));
}

const ESCAPED_UNIT = /\\+u([\da-f]{4})/gi;

function bare(text: string): string {
  return text
    .replace(ESCAPED_UNIT, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replace(/\\[nrtbf]|[\\\s]/g, "")
    .toLowerCase();
}
