import { describe, expect, test } from "vitest";
import { expandVariables, prepareHeaders } from "../../../src/executors/http/header-variables.ts";

const ENVIRONMENT = {
  TOKEN: "s3cret",
  OTHER: "no",
  NESTED: "$TOKEN",
  LINES: "a\r\nx: y",
  NEWLINE: "s3cret\n",
  WIDE: "ключ",
};

describe("a variable in a header", () => {
  test.each([
    ["Bearer $TOKEN", "Bearer s3cret"],
    ["Bearer ${TOKEN}", "Bearer s3cret"],
    ["${TOKEN}${TOKEN}-$TOKEN", "s3crets3cret-s3cret"],
    ["$OTHER|${OTHER}|", "||"],
    ["$TOKENS|${TOKEN", "|${TOKEN"],
    ["$UNSET|", "|"],
    ["$NESTED", "$TOKEN"],
    ["100$ or $1", "100$ or $1"],
    ["$$TOKEN", "$s3cret"],
    ["$__proto__ $constructor", " "],
  ])("is replaced by its value if it is listed, and by nothing otherwise: %s", (template, expected) => {
    const allowed = ["TOKEN", "NESTED", "UNSET", "__proto__x"];
    expect(expandVariables(template, allowed, ENVIRONMENT)).toBe(expected);
  });
});

describe("headers", () => {
  const prepare = (headers: Record<string, string>) => prepareHeaders(headers, Object.keys(ENVIRONMENT), ENVIRONMENT);

  test("are sent with names in lower case", () => {
    expect(prepare({ "X-Key": "a", Authorization: "$TOKEN" })).toEqual({
      ok: true,
      headers: { "x-key": "a", authorization: "s3cret" },
      ignored: [],
    });
  });

  test("that decide where a request ends or which host it is for cannot be set by the rule", () => {
    const names = [
      "Host",
      "content-length",
      "Transfer-Encoding",
      "Connection",
      "Accept-Encoding",
      "Upgrade",
      "Expect",
      "TE",
      "Trailer",
    ];
    const headers = Object.fromEntries(names.map((name) => [name, "x"]));
    expect(prepare(headers)).toEqual({ ok: true, headers: {}, ignored: names });
  });

  test("may declare the body as JSON", () => {
    expect(prepare({ "Content-Type": "application/json; charset=utf-8" })).toMatchObject({ ok: true, ignored: [] });
    expect(prepare({ "Content-Type": "text/plain" })).toMatchObject({ ok: true, ignored: ["Content-Type"] });
  });

  test.each([
    [{ "X-A": "a\r\nb: c" }, 'the value of the header "X-A" contains characters that a header cannot have'],
    [{ "X-A": "a\nb" }, 'the value of the header "X-A" contains characters that a header cannot have'],
    [{ "X-A": "a\u0000" }, 'the value of the header "X-A" contains characters that a header cannot have'],
    [{ "X-A": "$LINES" }, 'the value of the header "X-A" contains characters that a header cannot have'],
    [{ "X-A": "$NEWLINE" }, 'the value of the header "X-A" contains characters that a header cannot have'],
    [{ "X-A": "$WIDE" }, 'the value of the header "X-A" contains characters that a header cannot have'],
    [{ "X A": "a" }, '"X A" is not the name of a header'],
    [{ "X-A:\r\nx": "a" }, '"X-A:\\r\\nx" is not the name of a header'],
    [{ "": "a" }, '"" is not the name of a header'],
    [{ "X-A": "1", "x-a": "2" }, 'the header "x-a" is set twice'],
    [{ "X-A": "x".repeat(9_000) }, "more than 64 headers, or more than 8192 characters of them"],
    [
      Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`x-${index}`, ""])),
      "more than 64 headers, or more than 8192 characters of them",
    ],
  ])("that cannot be sent are refused by name, and without their value: %j", (headers, message) => {
    expect(prepare(headers as Record<string, string>)).toEqual({ ok: false, message });
  });
});
