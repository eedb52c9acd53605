import { Buffer } from "node:buffer";
import { hasBech32Checksum, hasGitHubChecksum, isAwsKey, isMixed, isSignedToken } from "../../src/secrets/checks.ts";
import { CLOUD } from "../../src/secrets/formats/cloud.ts";
import { CODE } from "../../src/secrets/formats/code.ts";
import { type Check, CLASSES, type FormatRow } from "../../src/secrets/formats/format.ts";
import { MESSAGES } from "../../src/secrets/formats/messages.ts";
import { MODELS } from "../../src/secrets/formats/models.ts";
import { PAYMENT } from "../../src/secrets/formats/payment.ts";
import { SERVICES } from "../../src/secrets/formats/services.ts";
import type { Random } from "../helpers/random.ts";

export const ROWS: readonly FormatRow[] = [...CLOUD, ...CODE, ...MODELS, ...PAYMENT, ...MESSAGES, ...SERVICES];

/** All characters of a class, such as `A-Za-z\d`. */
const charactersOf = (name: string): string =>
  Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at))
    .filter((char) => new RegExp(`[${CLASSES[name]}]`).test(char))
    .join("");

const pick = (random: Random, characters: string, count: number): string =>
  Array.from({ length: count }, () => characters[random.below(characters.length)]).join("");

const BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A classic GitHub token with the checksum that makes it one, found by trying the last characters' number. */
function gitHub(prefix: string, body: string): string {
  const text = body.slice(0, 30);
  let crc = 0xffffffff;
  for (const char of text) {
    crc ^= char.charCodeAt(0);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  let rest = (crc ^ 0xffffffff) >>> 0;
  let checksum = "";
  for (let digit = 0; digit < 6; digit++) {
    checksum = BASE_62.charAt(rest % 62) + checksum;
    rest = Math.floor(rest / 62);
  }
  return prefix + text + checksum;
}

const BECH_32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** An age key: 52 digits, and the six digits that make the polynomial's remainder 1. */
function age(random: Random): string {
  const digits = Array.from({ length: 52 }, () => random.below(32));
  const codes = [..."age-secret-key-"].map((char) => char.charCodeAt(0));
  const values = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...digits, 0, 0, 0, 0, 0, 0];
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, generator] of GENERATORS.entries()) if ((top >> bit) & 1) sum ^= generator;
  }
  const checksum = [25, 20, 15, 10, 5, 0].map((shift) => ((sum ^ 1) >> shift) & 31);
  return `AGE-SECRET-KEY-1${[...digits, ...checksum].map((digit) => BECH_32[digit]).join("")}`;
}

const base64Url = (text: string): string => Buffer.from(text).toString("base64url");

const MADE: ReadonlyMap<Check, (prefix: string, body: string, random: Random) => string> = new Map([
  [hasGitHubChecksum, gitHub],
  // The account number that these characters hold is below 10 to the power of 12.
  [isAwsKey, (prefix: string, body: string) => `${prefix}R${body.slice(1).replace(/[0189]/g, "Q")}`],
  [isMixed, (prefix: string, body: string) => `${prefix}7aA${body.slice(3)}`],
  [hasBech32Checksum, (_prefix: string, _body: string, random: Random) => age(random)],
  [
    isSignedToken,
    (_prefix: string, body: string, random: Random) =>
      [
        base64Url('{"alg":"HS256","typ":"JWT"}'),
        ...(body.split(".").length === 3
          ? [base64Url(`{"sub":"${pick(random, BASE_62, 12)}"}`)]
          : ["", base64Url("a random vector"), base64Url("the encrypted text")]),
        pick(random, BASE_62, 43),
      ].join("."),
  ],
]);

/** Returns a token of a row, with each count at its minimum. */
export function exampleOf([, , body, check]: FormatRow, prefix: string, random: Random): string {
  const filled = body.replace(/\{([A-Za-z])(\d*)[=!]?\}/g, (_, name: string, count: string) =>
    name === "U"
      ? [8, 4, 4, 4, 12].map((length) => pick(random, "0123456789abcdef", length)).join("-")
      : pick(random, charactersOf(name), Number(count)),
  );
  const make = check === undefined ? undefined : MADE.get(check);
  return make === undefined ? prefix + filled : make(prefix, filled, random);
}

/** Returns the text in which a token may not be taken for one: its characters are cut off until a pattern needs more. */
export function cutOff(token: string, prefix: string): string {
  return token.slice(0, prefix.length + Math.floor((token.length - prefix.length) / 3));
}
