import { pushUtf8, Utf8Decoder } from "./utf8.ts";

/** The percent-encode sets of the URL standard, each with its printable ASCII characters. */
export const FRAGMENT = ' "<>`';
export const QUERY = ' "#<>';
export const SPECIAL_QUERY = `${QUERY}'`;
export const PATH = `${QUERY}?^\`{}`;
export const USERINFO = `${PATH}/:;=@[\\]|`;
export const CONTROL = "";
/** The set of all characters except letters, digits and `*-._`. */
export const FORM = `${USERINFO}$%&+,!'()~`;

/** Encodes control characters, non-ASCII characters and the characters of the set. */
export function percentEncode(text: string, set: string): string {
  if (!/[^ -~]/.test(text) && ![...text].some((char) => set.includes(char))) return text;
  const bytes: number[] = [];
  pushUtf8(text, bytes);
  let encoded = "";
  for (const byte of bytes) {
    const char = String.fromCharCode(byte);
    encoded += byte <= 0x1f || byte > 0x7e || set.includes(char) ? `%${hex(byte >> 4)}${hex(byte & 15)}` : char;
  }
  return encoded;
}

/**
 * Decodes `%XX` and reads the bytes as UTF-8; invalid bytes become U+FFFD. A `%` without two digits does not change.
 */
export function percentDecode(text: string): string {
  if (!text.includes("%")) return text;
  const bytes: number[] = [];
  pushUtf8(text, bytes);
  const decoded: number[] = [];
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    const high = byte === 0x25 ? digitOf(bytes[index + 1]) : -1;
    const low = byte === 0x25 ? digitOf(bytes[index + 2]) : -1;
    if (high < 0 || low < 0) decoded.push(byte);
    else {
      decoded.push(high * 16 + low);
      index += 2;
    }
  }
  return new Utf8Decoder().decode(decoded, true, false) as string;
}

function hex(digit: number): string {
  return "0123456789ABCDEF"[digit] as string;
}

function digitOf(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
