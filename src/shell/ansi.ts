import { isMark } from "./marks.ts";
import type { Scanner } from "./scanner.ts";

const LITERAL = /[^'\\]+/y;
const ESCAPE = /x\{[\da-fA-F]*\}|x[\da-fA-F]{0,2}|u[\da-fA-F]{0,4}|U[\da-fA-F]{0,8}|c[\s\S]|[0-7]{1,3}|[\s\S]/y;
const CONTROLS: Readonly<Record<string, string>> = {
  ...{ n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", e: "\x1b", E: "\x1b", f: "\f", v: "\v" },
};

/** Reads `$'…'` after its opening quote. Returns its value, or `undefined` if the quote is not closed. */
export function readAnsi(scanner: Scanner): string | undefined {
  let value = "";
  for (;;) {
    value += scanner.take(LITERAL);
    const char = scanner.peek();
    scanner.at += 1;
    if (char === undefined) return undefined;
    // A NUL ends the value, but not the quoted text.
    if (char === "'") return value.split("\0", 1)[0] ?? "";
    value += unescaped(scanner.take(ESCAPE));
  }
}

function unescaped(sequence: string): string {
  const first = sequence.charAt(0);
  const isOctal = first >= "0" && first <= "7";
  if (first === "c" && sequence.length > 1) return String.fromCharCode(sequence.charCodeAt(1) & 0x1f);
  if (!isOctal && !"xuU".includes(first))
    return CONTROLS[sequence] ?? (/['"\\?]/.test(sequence) ? "" : "\\") + sequence;
  const digits = sequence.replace(/[^\da-fA-F]/g, "");
  if (digits === "") return `\\${sequence}`;
  const value = isOctal ? Number.parseInt(digits, 8) & 0xff : Number.parseInt(digits, 16);
  const char = String.fromCharCode(value);
  return value > 0xffff || isMark(char) ? "\ufffd" : char;
}
