const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * Encodes a text whose characters are bytes as base64.
 *
 * @throws Error named `InvalidCharacterError` for a character above U+00FF
 */
export function btoa(data: string): string {
  const text = String(data);
  let encoded = "";
  for (let index = 0; index < text.length; index += 3) {
    const rest = text.length - index;
    const [a, b, c] = [
      byteAt(text, index),
      rest > 1 ? byteAt(text, index + 1) : 0,
      rest > 2 ? byteAt(text, index + 2) : 0,
    ];
    const bits = (a << 16) | (b << 8) | c;
    encoded +=
      digit(bits >> 18) + digit(bits >> 12) + (rest > 1 ? digit(bits >> 6) : "=") + (rest > 2 ? digit(bits) : "=");
  }
  return encoded;
}

/**
 * Decodes base64 to a text whose characters are bytes. White space is skipped, and the padding may be missing.
 *
 * @throws Error named `InvalidCharacterError` for an invalid text
 */
export function atob(data: string): string {
  let text = String(data).replace(/[\t\n\f\r ]/g, "");
  if (text.length % 4 === 0) text = text.replace(/={1,2}$/, "");
  if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) throw invalid("The string to be decoded is not base64");
  let decoded = "";
  let bits = 0;
  let held = 0;
  for (const char of text) {
    bits = ((bits << 6) | DIGITS.indexOf(char)) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    decoded += String.fromCharCode((bits >> held) & 0xff);
  }
  return decoded;
}

function byteAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code > 0xff) throw invalid("The string to be encoded has characters outside of Latin1; encode it as UTF-8 first");
  return code;
}

function digit(bits: number): string {
  return DIGITS[bits & 63] as string;
}

function invalid(message: string): Error {
  const error = new Error(message);
  error.name = "InvalidCharacterError";
  return error;
}
