import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../src/json.ts";
import { redactingJsonSteps } from "../../src/secrets/redact-json.ts";
import fc from "../helpers/fc.ts";

const TOKEN = "glpat-abcdefghij0123456789";
const PASSWORD = "xK9-mQ2_vL7w";

function redactJson(json: JsonValue): JsonValue {
  const steps = redactingJsonSteps(json);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

describe("JSON without its secrets", () => {
  test("has no secret in any text, however deep", () => {
    const json = { tool_input: { command: `git push https://u:${TOKEN}@host`, list: [{ text: TOKEN }] } };
    const clean = JSON.stringify(redactJson(json));
    expect(clean).not.toContain(TOKEN);
    expect(clean).toContain("git push");
  });

  test("has none that only its field's name reveals", () => {
    expect(redactJson({ db_password: PASSWORD, passwords: "fine" })).toEqual({
      db_password: "[redacted]",
      passwords: "fine",
    });
    expect(redactJson({ note: PASSWORD })).toEqual({ note: PASSWORD });
  });

  test("has none in its keys, and loses no field because of that", () => {
    const other = TOKEN.replace("abcd", "wxyz");
    expect(redactJson({ [TOKEN]: 1, [other]: 2 })).toEqual({ "[redacted]": 1, "[redacted] 2": 2 });
  });

  test("is made in a time that is proportional to the number of secrets, and not quadratic", () => {
    // Otherwise the earlier names would be tried one after another, three hundred million times.
    const keys = Array.from({ length: 25_000 }, (_, at) => `glpat-abcdefghij${String(at).padStart(10, "0")}`);
    const clean = redactJson(Object.fromEntries(keys.map((key) => [key, 1]))) as JsonObject;
    expect(Object.keys(clean)).toHaveLength(keys.length);
  });

  test("is unchanged JSON if there are no secrets", () => {
    const words = fc.constantFrom("ls", "file.ts", "__proto__", "constructor", "a b", "");
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        words,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        tie("list"),
        tie("map"),
      ),
      list: fc.array(tie("tree"), { maxLength: 4 }),
      map: fc.dictionary(words, tie("tree"), { maxKeys: 4 }),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const json = JSON.parse(JSON.stringify(value)) as JsonValue;
        expect(JSON.stringify(redactJson(json))).toBe(JSON.stringify(json));
      }),
    );
  });

  test("leaves out what is too deep to be searched", () => {
    let deep: JsonValue = TOKEN;
    for (let level = 0; level < 5_000; level++) deep = [deep];
    const clean = JSON.stringify(redactJson(deep));
    expect(clean).toContain("left out");
    expect(clean).not.toContain(TOKEN);
  });
});
