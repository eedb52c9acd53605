// Decodes constant texts, because code is hidden in them: `echo cm0gLXJmIC8= | base64 -d | sh`.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const ALPHABET_32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** The maximum length of a text that is decoded. Longer texts are no commands. */
const MAX_LENGTH = 8_192;

export type Encoding = "base32" | "base64" | "hex" | "reverse" | "rot13";

/** Returns the decoded text; `undefined` if the text is not encoded or not readable. */
export function decode(encoding: Encoding, text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  switch (encoding) {
    case "base64":
      return bits(text.replace(/-/g, "+").replace(/_/g, "/"), ALPHABET, 6);
    case "base32":
      return bits(text.toUpperCase(), ALPHABET_32, 5);
    case "hex": {
      const digits = text.replace(/\\x|0x|[\s:,]/g, "");
      return /^(?:[\da-f]{2})+$/i.test(digits)
        ? (digits.match(/../g) ?? []).map((pair) => String.fromCharCode(Number.parseInt(pair, 16))).join("")
        : undefined;
    }
    case "rot13":
      return text.replace(/[a-z]/gi, (char) => {
        const code = char.charCodeAt(0);
        return String.fromCharCode(code + ((code & 31) > 13 ? -13 : 13));
      });
    default:
      return [...text].reverse().join("");
  }
}

function bits(text: string, alphabet: string, size: number): string | undefined {
  let rest = 0;
  let count = 0;
  let decoded = "";
  for (const char of text.replace(/[\s=]/g, "")) {
    const value = alphabet.indexOf(char);
    if (value < 0) return undefined;
    rest = ((rest << size) | value) & 0xffff;
    count += size;
    if (count < 8) continue;
    count -= 8;
    decoded += String.fromCharCode((rest >> count) & 0xff);
  }
  return decoded === "" ? undefined : decoded;
}
