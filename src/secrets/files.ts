// Finds passwords in formats of files that assign nothing: .netrc, .pgpass, XML, keys of PuTTY, tables of AWS keys.

import { PLACEHOLDER } from "./values.ts";

const NETRC = /\bmachine\s+\S+\s+login\s+\S+\s+password\s+(\S{4,200})/g;
const PGPASS = /^[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,64}:[\w*.-]{1,64}:(\S{4,200})$/gm;
const XML = /<([\w.:-]{0,40}(?:[Pp]assword|[Pp]assphrase))>([^<>\s${}]{6,200})<\//g;
const PUTTY = /Private-Lines: \d+\s+([A-Za-z\d+/=\s]{20,4000}?)(?=\n(?:Private-MAC|$)|$)/g;
const AWS_SECRET = /(?<![A-Za-z\d+/])(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=[\D]*\d)[A-Za-z\d+/]{40}(?![A-Za-z\d+/=])/;
const FILES: readonly (readonly [sign: string, pattern: RegExp])[] = [
  ["machine ", NETRC],
  [":5432:", PGPASS],
  ["assword>", XML],
  ["Private-Lines:", PUTTY],
];
/** How far after a key ID the secret key of AWS is looked for. */
const MAX_DISTANCE = 160;

const WORK_PER_FILE = 2_000;
/** The maximum length of a file of passwords. Longer files are searched for assignments and tokens only. */
const MAX_FILE = 8_192;

export function passwordsOfFiles(text: string, spend: (work: number) => void): readonly string[] {
  if (text.length > MAX_FILE) return [];
  const passwords: string[] = [];
  for (const [sign, pattern] of FILES) {
    if (!text.includes(sign)) continue;
    spend(WORK_PER_FILE + text.length);
    for (const found of text.matchAll(pattern)) {
      const value = found[2] ?? found[1];
      if (value !== undefined && !PLACEHOLDER.test(value)) passwords.push(value);
    }
  }
  return passwords;
}

/** Returns the secret key of AWS that follows a key ID, as in the table that the console offers for download. */
export function awsSecretAfter(text: string, end: number): string | undefined {
  return AWS_SECRET.exec(text.slice(end, end + MAX_DISTANCE))?.[0];
}
