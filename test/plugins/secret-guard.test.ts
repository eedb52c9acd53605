import { describe, expect, test } from "vitest";
import fc from "../helpers/fc.ts";
import { meteredGuard } from "./metered-guard.ts";
import { fixturesOf, read, type Verdict } from "./verdict.ts";

const call = await meteredGuard("secret-guard");
const AWS = "AKIARZPUZDIKQTESTKEY";

const eventOf = (toolInput: unknown, tool = "Write"): string =>
  JSON.stringify({ abi: 1, hook_event_name: "PreToolUse", tool_name: tool, tool_input: toolInput });
const judge = (toolInput: unknown): Verdict => read(call(eventOf(toolInput)));

const tokens = fixturesOf("secret-guard")
  .filter(({ event, decision }) => decision === "deny" && "tool_input" in event && !("error" in event))
  .map(({ event }) => JSON.stringify((event as { tool_input: unknown }).tool_input));

const escapeOf = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

describe("secret-guard", () => {
  test("never repeats a secret", () => {
    const secrets = ["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", AWS, "glpat-abcdefghij0123456789"];
    for (const secret of secrets) {
      const { decision, reason } = judge({ content: `x = "${secret}"` });
      expect([decision, reason.includes(secret.slice(0, 5))]).toEqual(["deny", false]);
    }
    expect(judge({ content: "postgres://app:h4rd-t0-gu3ss@db/app" }).reason).not.toContain("h4rd");
  });

  test("never repeats a key that may be a secret", () => {
    const keys = [
      ...["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", AWS, "sk-ant-api03-Zx8Kq2Lm5Np7Rt9Vw1Yb3Dc6Fg4Hj0QsUe"],
      ...[
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "9f86d081884c7d65",
        "correct horse",
        "a-very-long-name-of-a-field",
      ],
    ];
    for (const key of keys) {
      for (const input of [{ [key]: AWS }, { a: [{ [key]: { b: AWS } }] }]) {
        const { decision, reason } = judge(input);
        expect([decision, reason.includes(key.slice(0, 5))]).toEqual(["deny", false]);
      }
    }
  });

  test("finds a secret in keys as in values", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), (other) => {
        expect(judge({ deep: [{ [`${AWS}:x`]: other }] }).decision).toBe("deny");
      }),
      { numRuns: 200 },
    );
  });

  test.each(["Edit", "MultiEdit", "str_replace_editor"])("does not judge what %s removes", (tool) => {
    const edits = [{ old_string: AWS, new_string: "" }];
    expect(read(call(eventOf({ old_str: AWS, edits }, tool))).decision).toBe("none");
  });

  test("any input gets a valid answer", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (input) => {
        expect(["deny", "ask", "none"]).toContain(judge(input).decision);
      }),
      { numRuns: 1_000 },
    );
  });

  test("finds a secret anywhere in an input", () => {
    const around = fc.string({ unit: "grapheme", maxLength: 40 });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), around, around, (other, before, behind) => {
        const input = { other, deep: [{ text: `${before} ${AWS} ${behind}` }] };
        expect(judge(input).decision).not.toBe("none");
      }),
      { numRuns: 500 },
    );
  });

  test("does not depend on the spelling of the JSON", () => {
    for (const token of tokens) {
      const plain = eventOf(JSON.parse(token));
      // Names of fields are not changed: only what the agent chose gets another spelling.
      const escaped = eventOf("?").replace('"?"', token.replace(/(?<=:"[^"]*)[A-Z](?=[^"]*")/g, escapeOf));
      expect(read(call(escaped))).toEqual(read(call(plain)));
    }
  });

  const source =
    "export function tokenize(text: string): Token[] {\n  return text.split(/\\s+/).map((token) => ({ token }));\n}\n";
  const fuelOf = (content: string): number => call(eventOf({ content })).fuel;

  test("uses little fuel for ordinary work", () => {
    expect(fuelOf("npm test")).toBeLessThanOrEqual(340_000);
    expect(fuelOf(source.repeat(20))).toBeLessThanOrEqual(13_000_000);
  });

  const hard: Readonly<Record<string, string>> = {
    code: source,
    "one run": "a",
    words: "abcdefghijkl ",
    "long words": "abcdefghijklmnopqrst ",
    dashes: "a-",
    digits: "1234567890:",
    signs: "=",
    names: "API_KEY=abc\n",
    JSON: '{"key":"value","other":"something longer"},',
    addresses: "http://a:b ",
    options: "--password abc ",
    "calls of curl": "curl -u a:b ",
    "keys with escapes": "-----BEGIN PRIVATE KEY-----\\\\\\n",
    authorizations: "Authorization: Bearer a\n",
    "private keys": "-----BEGIN PRIVATE KEY-----\n",
    "tokens in words": "xghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ",
    emoji: "😀",
  };

  test.each(Object.entries(hard))("twice as much of %s costs at most 2.2 times as much", (_name, piece) => {
    const text = (length: number): string => piece.repeat(Math.ceil(length / piece.length));
    expect(fuelOf(text(3_000)) / fuelOf(text(1_500))).toBeLessThanOrEqual(2.2);
  });

  test.each(Object.entries(hard))("much of %s gets an answer with the usual fuel", (_name, piece) => {
    for (const length of [20_000, 32_000, 49_000, 1_000_000]) {
      read(call(eventOf({ content: piece.repeat(Math.ceil(length / piece.length)) })));
    }
  });

  test("many keys get an answer with the usual fuel", () => {
    const members = (count: number, key: (at: number) => string): unknown =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [key(at), "x"]));
    read(call(eventOf(members(5_000, (at) => `key_${at}`))));
    read(call(eventOf(members(5_000, (at) => `some.Long_key-${at}-with-parts`))));
    read(call(eventOf(Array(3_000).fill("some text"))));
    expect(judge({ ["k".repeat(700_000)]: 1 }).decision).toBe("ask");
  });

  test("asks the user about a text that is too long", () => {
    expect(judge({ content: "a line of text\n".repeat(70_000) })).toEqual({
      decision: "ask",
      reason: expect.stringContaining("more text than can be searched"),
    });
  });
});
