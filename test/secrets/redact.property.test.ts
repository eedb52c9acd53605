import { describe, expect, test } from "vitest";
import { redactSecrets } from "../../src/secrets/redact.ts";
import fc from "../helpers/fc.ts";
import { Random } from "../helpers/random.ts";
import { exampleOf, ROWS } from "./examples.ts";

const TOKENS = ROWS.map((row) => exampleOf(row, row[1].split(" ")[0] ?? "", new Random(11)));
const SPELLINGS: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => `password = "${secret}"`,
  (secret) => `API_KEY=${secret}\n`,
  (secret) => `https://alice:${secret}@host.test/`,
  (secret) => `{"token": "${secret}"}`,
  (secret) => `curl -u alice:${secret} host`,
  (secret) => `?a=${secret}&b=`,
  (secret) => `\\n${secret}`,
];

/** Words and signs of code, of which a text without a secret consists. */
const word = fc.constantFrom(
  ..."const let token key password secret return function = : ; ( ) { } [ ] , . \" ' \n -- :// % \\ => the of a in is 1 42 0x1f".split(
    " ",
  ),
);
const prose = fc.array(word, { maxLength: 40 }).map((words) => words.join(" "));
const secret = fc
  .tuple(fc.constantFrom(...TOKENS), fc.constantFrom(...SPELLINGS))
  .map(([token, spell]) => spell(token));
const text = fc
  .array(fc.oneof(prose, secret, fc.string({ maxLength: 30 })), { maxLength: 6 })
  .map((parts) => parts.join(""));

describe("redaction", () => {
  test("changes nothing that it has already redacted", () => {
    fc.assert(
      fc.property(text, (dirty) => {
        const clean = redactSecrets(dirty);
        expect(redactSecrets(clean)).toBe(clean);
      }),
      { numRuns: 1_000 },
    );
  });

  test("leaves no token, whatever is around it and however it is spelled", () => {
    const around = fc.oneof(prose, fc.string({ maxLength: 20 }));
    fc.assert(
      fc.property(around, secret, around, fc.constantFrom(...TOKENS), (before, dirty, behind, other) => {
        const clean = redactSecrets(`${before} ${dirty} ${other} ${behind}`);
        expect(TOKENS.filter((token) => clean.includes(token))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  test("changes no text of words, signs and numbers", () => {
    fc.assert(
      fc.property(prose, (clean) => {
        expect(redactSecrets(clean)).toBe(clean);
      }),
      { numRuns: 1_000 },
    );
  });
});
