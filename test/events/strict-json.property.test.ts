import { describe, expect, test } from "vitest";
import { readStrictJson } from "../../src/strict-json.ts";
import fc from "../helpers/fc.ts";

const encoder = new TextEncoder();

/**
 * An independent definition of strict: a scanner that shares no code with the one under test. Throws for text that is
 * not JSON, for a key that an object has twice and for nesting below `depth`.
 */
function check(text: string, maxDepth: number): void {
  let at = 0;
  const fail = (why: string): never => {
    throw new SyntaxError(`${why} at ${at}`);
  };
  const skip = (): void => {
    while (at < text.length && " \t\n\r".includes(text.charAt(at))) at += 1;
  };
  const token = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? fail("unexpected text");
    at += found.length;
    return found;
  };
  const string = (): string => {
    const raw = token(/"(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/y);
    const short: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
    return raw
      .slice(1, -1)
      .replace(/\\(?:u(.{4})|(.))/g, (_, code?: string, letter?: string) =>
        code === undefined ? (short[letter ?? ""] ?? letter ?? "") : String.fromCharCode(Number.parseInt(code, 16)),
      );
  };
  const list = (close: string, item: () => void): void => {
    at += 1;
    skip();
    if (text[at] === close) {
      at += 1;
      return;
    }
    for (;;) {
      item();
      skip();
      const next = text[at];
      at += 1;
      if (next === close) return;
      if (next !== ",") fail("expected a comma");
    }
  };
  const value = (depth: number): void => {
    skip();
    const first = text[at];
    if ((first === "{" || first === "[") && depth >= maxDepth) fail("too deep");
    if (first === "[") list("]", () => value(depth + 1));
    else if (first === "{") {
      const keys = new Set<string>();
      list("}", () => {
        skip();
        const key = string();
        if (keys.has(key)) fail("duplicate key");
        keys.add(key);
        skip();
        token(/:/y);
        value(depth + 1);
      });
    } else if (first === '"') string();
    else token(/true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y);
  };
  value(0);
  skip();
  if (at < text.length) fail("trailing text");
}

const isStrict = (text: string): boolean => {
  try {
    check(text, 32);
    return text.trimStart().startsWith("{");
  } catch {
    return false;
  }
};

/** Keys that often collide, each in several spellings. */
const key = fc.constantFrom(
  "a",
  "\\u0061",
  "b",
  "\\u0062",
  "__proto__",
  "decision",
  "d\\u0065cision",
  "",
  "/",
  "\\/",
  "\\u002F",
  "😀",
  "\\uD83D\\uDE00",
  "\\ud83d",
);
const space = fc.constantFrom("", "", "", " ", "\n\t", "\r");
const { json } = fc.letrec<{ json: string; object: string; array: string; leaf: string }>((tie) => ({
  json: fc.oneof({ maxDepth: 4, withCrossShrink: true }, tie("leaf"), tie("object"), tie("array")),
  leaf: fc.oneof(
    fc.constantFrom("0", "-0", "1e999", "1.5E-3", "true", "false", "null", '""', '"\\ud800"'),
    fc.string().map((text) => JSON.stringify(text)),
  ),
  object: fc
    .array(fc.tuple(key, tie("json"), space), { maxLength: 4 })
    .map(
      (entries) => `{${entries.map(([name, value, gap]) => `${gap}"${name}"${gap}:${gap}${value}${gap}`).join(",")}}`,
    ),
  array: fc.array(tie("json"), { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
}));
const object = fc
  .array(fc.tuple(key, json), { maxLength: 5 })
  .map((entries) => `{${entries.map(([name, value]) => `"${name}":${value}`).join(",")}}`);

const damage = fc.record({
  at: fc.nat(),
  text: fc.constantFrom(
    "",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "\\",
    "//",
    "/**/",
    "\u0000",
    "\ufeff",
    "\u2028",
    "'",
    "1",
    "\\u00",
  ),
  removed: fc.integer({ min: 0, max: 3 }),
});
const damaged = fc.tuple(object, fc.array(damage, { maxLength: 2 })).map(([text, damages]) =>
  damages.reduce((before, { at, text: inserted, removed }) => {
    const where = at % (before.length + 1);
    return before.slice(0, where) + inserted + before.slice(where + removed);
  }, text),
);

function agree(text: string): void {
  const bytes = encoder.encode(text);
  // A lone surrogate cannot be encoded in UTF-8; both readers read everything else.
  const sent = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const read = readStrictJson(bytes);
  expect([sent, read.ok]).toEqual([sent, isStrict(sent)]);
  if (read.ok) expect(read.value).toEqual(JSON.parse(sent));
}

describe("strict JSON agrees with an independent reader, and with JSON.parse on the value,", () => {
  test("for objects whose keys may be equal in different spellings", () => {
    fc.assert(fc.property(object, agree), { numRuns: 2_000 });
  });

  test("for such objects with a damaged text", () => {
    fc.assert(fc.property(damaged, agree), { numRuns: 3_000 });
  });

  test("for nesting around the limit", () => {
    const opening = fc.constantFrom(["[", "]"] as const, ['{"a":', "}"] as const);
    fc.assert(
      fc.property(fc.array(opening, { minLength: 28, maxLength: 36 }), (levels) => {
        agree(
          `{"x":${levels.map(([open]) => open).join("")}0${levels
            .map(([, close]) => close)
            .reverse()
            .join("")}}`,
        );
      }),
    );
  });
});

test("any bytes are read or refused, and never throw", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 60 }),
        fc.tuple(object, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([text, at, byte]) => {
          const bytes = encoder.encode(text);
          bytes[at % Math.max(1, bytes.length)] = byte;
          return bytes;
        }),
      ),
      (bytes) => {
        const read = readStrictJson(bytes);
        if (!read.ok) {
          expect(read.message).not.toBe("");
          return;
        }
        const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
        expect(isStrict(text)).toBe(true);
        expect(read.value).toEqual(JSON.parse(text));
      },
    ),
    { numRuns: 2_000 },
  );
});
