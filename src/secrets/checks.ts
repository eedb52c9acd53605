// Checks of tokens that match a format: checksums that the issuer computes, and signs of an invented token.

const BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CHECKSUM_LENGTH = 6;

/** The table of CRC-32, computed once when the guard is built. */
const CRC_32 = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

/**
 * Whether a classic GitHub token ends in the checksum of its other characters. A token with a wrong checksum was invented
 * for a test or a manual.
 */
export function hasGitHubChecksum(token: string): boolean {
  let crc = -1;
  const end = token.length - CHECKSUM_LENGTH;
  for (let i = token.indexOf("_") + 1; i < end; i++) {
    crc = (crc >>> 8) ^ (CRC_32[(crc ^ token.charCodeAt(i)) & 0xff] ?? 0);
  }
  let rest = ~crc >>> 0;
  let checksum = "";
  while (checksum.length < CHECKSUM_LENGTH) {
    checksum = BASE_62.charAt(rest % 62) + checksum;
    rest = Math.floor(rest / 62);
  }
  return token.endsWith(checksum);
}

/** The fewest different characters that 80 random ones have. Invented tokens repeat one. */
const MIN_DIFFERENT = 10;

/** Whether a long token has as many different characters as chance gives. The issuer's checksum is not published. */
export function isDiverse(token: string): boolean {
  return new Set(token.slice(token.lastIndexOf("_") + 1)).size >= MIN_DIFFERENT;
}

const BASE_32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const PREFIX_LENGTH = 4;
/** Account numbers have twelve digits. */
const MAX_ACCOUNT = 999_999_999_999;

/**
 * Whether an AWS key ID contains the number of an account. The characters after the prefix hold the number in base 32.
 * Keys from before 2019 begin with `I` or `J` and hold none; only manuals write EXAMPLE into such a key.
 */
export function isAwsKey(token: string): boolean {
  const id = token.slice(PREFIX_LENGTH);
  // 40 bits follow the first bit: the eight first characters of five bits each.
  let account = 0;
  for (const char of id.slice(0, 9)) {
    const digit = BASE_32.indexOf(char);
    if (digit < 0) return !id.includes("EXAMPLE");
    account = account * 32 + digit;
  }
  // The first bit is a flag, and the last four of these 45 bits belong to the next field.
  const number = Math.floor((account % 2 ** 44) / 2 ** 4);
  return /^[IJ]/.test(id) ? !id.includes("EXAMPLE") : number <= MAX_ACCOUNT;
}

const BECH_32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const HUMAN_PART = "age-secret-key-";

/** Whether an age key has a valid Bech32 checksum. */
export function hasBech32Checksum(token: string): boolean {
  const lower = token.toLowerCase();
  const codes = [...HUMAN_PART].map((char) => char.charCodeAt(0));
  const data = [...lower.slice(HUMAN_PART.length + 1)].map((char) => BECH_32.indexOf(char));
  let sum = 1;
  for (const value of [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...data]) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, generator] of GENERATORS.entries()) if ((top >> bit) & 1) sum ^= generator;
  }
  return sum === 1;
}

/** Whether a JSON Web Token is signed: its header names an algorithm other than none. */
export function isSignedToken(token: string): boolean {
  const header = decodedStart(token);
  return /"alg"|"enc"/.test(header) && !/"alg"\s*:\s*"none"/i.test(header);
}

const DIGITS_64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** The digits' values by their codes. Base64 for URLs has other signs for the last two. */
const VALUE_64: readonly (number | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  const value = DIGITS_64.indexOf(char === "-" ? "+" : char === "_" ? "/" : char);
  return value < 0 ? undefined : value;
});
/** Enough for every header with an algorithm. */
const MAX_DECODED = 400;

/** Returns the text that a Base64 text begins with, one character for each byte. Decodes at most `limit` characters. */
export function decodedStart(encoded: string, limit = MAX_DECODED): string {
  const codes: number[] = [];
  let bits = 0;
  let held = 0;
  const end = Math.min(encoded.length, limit);
  for (let i = 0; i < end; i++) {
    const value = VALUE_64[encoded.charCodeAt(i)];
    if (value === undefined) break;
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    codes.push((bits >> held) & 0xff);
  }
  return String.fromCharCode(...codes);
}

/** Whether a value consists of words, such as `cancellation-token-source` or `config/keys/main.pem`. */
export function isWords(value: string): boolean {
  return value.split(/[-_./~]|(?<=[a-z])(?=[A-Z])/).every((part) => /^(?:[A-Za-z]{0,15}\d{0,2})$/.test(part));
}

/** The fewest characters other than `A` in a bearer token that begins with zeros, which binary data also has. */
const MIN_OTHER = 16;

export function hasMoreThanZeros(token: string): boolean {
  return token.replace(/[Ax]/g, "").length >= MIN_OTHER;
}

/** Whether a text has a digit, a capital and a small letter, as nearly every random one has. */
export function isMixed(token: string): boolean {
  const body = token.slice(token.indexOf("-") + 1);
  return /\d/.test(body) && /[A-Z]/.test(body) && /[a-z]/.test(body);
}

/** For prefixes that names in code share, such as `sk-` of a style sheet. */
export function isNoName(token: string): boolean {
  return !isWords(token) && !/x{8}|your[_-]|[_-]here|example|placeholder/i.test(token);
}
