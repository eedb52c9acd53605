// The escapes of texts, which most languages share: `\x72`, `\162`, `\u0072`, `\n`.

const CHARACTERS: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  e: "\x1b",
  a: "\x07",
  f: "\f",
  v: "\v",
  "\n": "",
};
const HEX = /^\{?([\da-f]{2,6})\}?/i;
const OCTAL = /^[0-7]{1,3}/;

/** Replaces escapes. Splits instead of matching, because a pattern costs far more than the few escapes of most texts. */
export function withoutEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  const [start = "", ...parts] = text.split("\\");
  let found = start;
  let isHidden = false;
  for (const part of parts) {
    if (isHidden || part === "") {
      // Two backslashes are one.
      found += isHidden ? part : "\\";
      isHidden = !isHidden && part === "";
      continue;
    }
    found += unescaped(part);
  }
  return found;
}

function unescaped(part: string): string {
  const char = part.charAt(0);
  if (char === "x" || char === "u" || char === "U") {
    const length = char === "x" ? 2 : 4;
    const digits = part.charAt(1) === "{" ? HEX.exec(part.slice(1)) : HEX.exec(part.slice(1, 1 + length));
    if (digits !== null) return fromCode(Number.parseInt(digits[1] ?? "", 16)) + part.slice(1 + digits[0].length);
  } else if (char >= "0" && char <= "7") {
    const [digits = ""] = OCTAL.exec(part) ?? [];
    return fromCode(Number.parseInt(digits, 8)) + part.slice(digits.length);
  }
  return (CHARACTERS[char] ?? char) + part.slice(1);
}

/** Returns a character. Marks of the shell reader cannot be written as an escape. */
export function fromCode(code: number): string {
  return code >= 0xd800 ? "\ufffd" : String.fromCharCode(code);
}
