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

/** What cannot be seen, or is not a character at all; the space is the one blank that stays. */
const HIDDEN = /["\\]|[^\P{Z} ]|\p{C}/gu;

/** A text as a literal of Go's. */
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
