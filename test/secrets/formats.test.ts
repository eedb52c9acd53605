import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { Search } from "../../src/secrets/find-secret.ts";
import { redactSecrets } from "../../src/secrets/redact.ts";
import { Random } from "../helpers/random.ts";
import { cutOff, exampleOf, ROWS } from "./examples.ts";

const EXAMPLES = ROWS.flatMap((row) => {
  const random = new Random(7);
  return row[1].split(" ").map((prefix) => ({ row, prefix, token: exampleOf(row, prefix, random) }));
});

const find = (text: string) => new Search([]).find(text);
const misses = (hides: (token: string) => string): string[] =>
  EXAMPLES.filter(({ token }) => find(hides(token)) === undefined).map(({ row, token }) => `${row[0]}: ${token}`);

describe("the formats of tokens", () => {
  test("are at least 150, and no prefix is shorter than the index needs", () => {
    expect(ROWS.length).toBeGreaterThanOrEqual(150);
    expect(ROWS.flatMap(([, prefixes]) => prefixes.split(" ")).filter((prefix) => prefix.length < 2)).toEqual([]);
  });

  test("each match an example of their own, under their own name", () => {
    const wrong = ROWS.filter((row) => !EXAMPLES.some((one) => one.row === row && find(one.token)?.kind === row[0]));
    expect(wrong.map(([kind, prefixes]) => `${kind}: ${prefixes}`)).toEqual([]);
  });

  test("leave no example in a redacted text", () => {
    const left = EXAMPLES.filter(({ token }) => redactSecrets(`a ${token} b`) !== "a [redacted] b");
    expect(left.map(({ row, token }) => `${row[0]}: ${token} → ${redactSecrets(`a ${token} b`)}`)).toEqual([]);
  });

  test.each<[string, (token: string) => string]>([
    ["alone", (token) => token],
    ["in double quotes", (token) => `const value = "${token}";`],
    ["in single quotes", (token) => `x('${token}')`],
    ["in a line of a file of variables", (token) => `A_NAME=${token}\nB=1\n`],
    ["in JSON in a text", (token) => JSON.stringify(JSON.stringify({ a: `b\n${token}` }))],
    ["in a query", (token) => `GET https://host.test/path?a=b&c=${token}`],
    ["in a list", (token) => `[one,${token},two]`],
    ["in a header", (token) => `curl -H "Authorization: Bearer ${token}" https://host.test`],
    ["after an escape of a URL", (token) => `https://host.test/?next=%3D${token}`],
    ["with escaped characters", (token) => `x ${[...token.slice(0, 12)].map(escaped).join("")}${token.slice(12)} y`],
    ["in Base64", (token) => Buffer.from(`user:${token} and some more text`).toString("base64")],
  ])("are found %s", (_name, hides) => {
    expect(misses(hides)).toEqual([]);
  });

  test("do not match the beginning of a token", () => {
    const found = EXAMPLES.filter(({ token, prefix }) => find(cutOff(token, prefix)) !== undefined);
    expect(found.map(({ row, token, prefix }) => `${row[0]}: ${cutOff(token, prefix)}`)).toEqual([]);
  });

  test("do not match a placeholder in the place of a token", () => {
    const made = EXAMPLES.map(({ row, prefix, token }) => ({
      row,
      text: prefix + "x".repeat(token.length - prefix.length),
    }));
    expect(made.filter(({ text }) => find(text) !== undefined).map(({ row, text }) => `${row[0]}: ${text}`)).toEqual(
      [],
    );
  });

  test("do not match words after a prefix", () => {
    const words = "your-key-here_change-me-please-with-a-real-value-of-your-own-account";
    const found = EXAMPLES.filter(({ prefix }) => find(prefix + words) !== undefined);
    expect(found.map(({ row, prefix }) => `${row[0]}: ${prefix}${words}`)).toEqual([]);
  });
});

const escaped = (char: string, at: number): string =>
  at % 3 === 0
    ? `\\u00${char.charCodeAt(0).toString(16)}`
    : at % 3 === 1
      ? `%${char.charCodeAt(0).toString(16)}`
      : char;
