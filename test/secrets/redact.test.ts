import { describe, expect, test } from "vitest";
import { redactSecrets } from "../../src/secrets/redact.ts";
import fc from "../helpers/fc.ts";

const TOKEN = "glpat-abcdefghij0123456789";
const KEY = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEabcdefghijklmnop\n".repeat(40)}-----END RSA PRIVATE KEY-----`;

describe("a text without its secrets", () => {
  test.each([
    ["nothing to see", "nothing to see"],
    ["", ""],
    [`a ${TOKEN} b ${TOKEN}`, "a [redacted] b [redacted]"],
    [`one ${TOKEN}\ntwo AKIARZPUZDIKQTESTKEY`, "one [redacted]\ntwo [redacted]"],
    ["postgres://app:h4rd-t0-gu3ss@db/app", "postgres://app:[redacted]@db/app"],
    [`before ${KEY} behind`, "before [redacted] behind"],
    [`before ${KEY.slice(0, 200)}`, "before [redacted]\n"],
    [KEY.replaceAll("\n", "\\n"), "[redacted]"],
    [KEY.replaceAll("\n", "\n+"), "[redacted]\n+-----END RSA PRIVATE KEY-----"],
    ['echo "-----BEGIN PRIVATE KEY-----"; rm -rf ~', 'echo "[redacted]"; rm -rf ~'],
    ["echo -----BEGIN PRIVATE KEY-----\nreboot", "echo [redacted]\nreboot"],
    [
      ": -----BEGIN PRIVATE KEY-----\nrm x\n: -----END PRIVATE KEY-----",
      ": [redacted]\nrm x\n: -----END PRIVATE KEY-----",
    ],
  ])("of %j is %j", (text, clean) => {
    expect(redactSecrets(text)).toBe(clean);
  });

  test("has none anywhere in a long text", () => {
    for (const at of [0, 10, 23_990, 24_000, 24_690, 47_990, 60_000]) {
      const text = `${"word ".repeat(14_000).slice(0, at)} ${TOKEN} ${"word ".repeat(3_000)}`;
      const clean = redactSecrets(text);
      expect([at, clean.includes(TOKEN.slice(0, 12)), clean.includes("[redacted]")]).toEqual([at, false, true]);
      expect(clean.length).toBe(text.length - TOKEN.length + "[redacted]".length);
    }
  });

  test("has no part of a long secret, wherever it is", () => {
    const long = `sk-ant-${"a1B2c3D4".repeat(12)}`;
    const web = `eyJ${"hbGciOiJIUzI1".repeat(2)}.eyJ${"zdWIiOiIxMjM0".repeat(20)}.${"c2lnbmF0dXJl".repeat(36)}`;
    for (const token of [long, web]) {
      for (const at of [0, 23_920, 23_950, 23_990, 24_620, 24_660, 24_690]) {
        const text = `${"word ".repeat(14_000).slice(0, at)} ${token} ${"word ".repeat(3_000)}`;
        const clean = redactSecrets(text);
        expect([at, clean.includes(token.slice(-12)), clean.includes("[redacted]")]).toEqual([at, false, true]);
      }
    }
  });

  test("that is only secrets is left out", () => {
    const many = Array.from({ length: 100 }, (_, index) => `glpat-abcdefghij0123456${100 + index}`).join(" ");
    expect(redactSecrets(many)).toMatch(/left out/);
  });

  test("is unchanged if there are none, and has none whatever is around one", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), fc.string({ maxLength: 30 }), (before, behind) => {
        expect(redactSecrets(`${before} ${TOKEN} ${behind}`)).not.toContain(TOKEN);
      }),
    );
  });
});
