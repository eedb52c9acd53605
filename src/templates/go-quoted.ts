const SHORT: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

/** Matches invisible characters, and code points that are not characters. The space is the only visible blank. */
const HIDDEN = /["\\]|[^\P{Z} ]|\p{C}/gu;

/** Writes a text as a Go string literal. */
export function goQuoted(text: string): string {
  const inside = text.replace(HIDDEN, (character) => {
    if (Object.hasOwn(SHORT, character)) return SHORT[character] as string;
    const code = character.codePointAt(0) as number;
    const digits = code.toString(16);
    if (code < 0x80) return `\\x${digits.padStart(2, "0")}`;
    return code > 0xffff ? `\\U${digits.padStart(8, "0")}` : `\\u${digits.padStart(4, "0")}`;
  });
  return `"${inside}"`;
}
