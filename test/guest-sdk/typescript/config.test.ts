import { describe, expect, test } from "vitest";
import type { ConfigSchema, ValueSchema } from "../../../guest-sdk/typescript/config-schema.ts";
import { compileConfig } from "../../../guest-sdk/typescript/validate-config.ts";
import fc from "../../helpers/fc.ts";
import { makeHost } from "./installed-guard.ts";

const read = (schema: ConfigSchema, config: Record<string, unknown>) => compileConfig(schema)(makeHost(config).config);

const object = (properties: Record<string, ValueSchema>, required: string[] = []): ConfigSchema => ({
  type: "object",
  properties,
  required,
});

const WORDS = object({ words: { type: "array", items: { type: "string" }, default: ["production"] } });

describe("a config is read", () => {
  test("with its defaults", () => {
    expect(read(WORDS, {})).toEqual({ words: ["production"] });
    expect(read(WORDS, { words: [] })).toEqual({ words: [] });
    expect(read(object({ a: { type: "string" } }), {})).toEqual({});
  });

  test("with defaults that cannot be changed for the next call", () => {
    const readConfig = compileConfig(WORDS);
    expect(() => (readConfig(() => undefined)["words"] as string[]).push("more")).toThrow(TypeError);
    expect(readConfig(() => undefined)).toEqual({ words: ["production"] });
  });

  test("with nested defaults", () => {
    const schema = object({
      rules: { type: "array", items: { type: "object", properties: { on: { type: "boolean", default: true } } } },
    });
    expect(read(schema, { rules: [{}, { on: false }] })).toEqual({ rules: [{ on: true }, { on: false }] });
    const deep = { type: "object", properties: { on: { type: "boolean", default: true } }, default: {} } as const;
    expect(read(object({ deep }), {})).toEqual({ deep: { on: true } });
    expect(read(object({ deep: { type: "object", properties: { deep }, default: {} } }), {})).toEqual({
      deep: { deep: { on: true } },
    });
  });

  test("as texts if the schema says string, whatever they look like", () => {
    for (const text of ["5", "true", "null", '["a"]', "", "\ud83d\ude80"]) {
      expect(read(object({ text: { type: "string" } }), { text })).toEqual({ text });
      expect(read(object({ text: { enum: [text, "x"] } }), { text })).toEqual({ text });
    }
  });

  test("in every type", () => {
    const schema = object({
      n: { type: "number" },
      i: { type: "integer" },
      b: { type: "boolean" },
      z: { type: "null" },
      a: { type: "array" },
      o: { type: "object" },
      e: { enum: [1, null, true] },
      c: { const: "x" },
    });
    const config = { n: 1.5, i: -2, b: false, z: null, a: [1, "a", null], o: { a: {} }, e: null, c: "x" };
    expect(read(schema, config)).toEqual(config);
  });

  test("only if the guard asks for it", () => {
    expect(read({ type: "object" }, { anything: 1 })).toEqual({});
    expect(compileConfig(undefined)(() => "x")).toEqual({});
  });
});

describe("an invalid config is an error that names the place", () => {
  test.each<[string, ValueSchema, unknown, string]>([
    ["number", { type: "array", items: { type: "string" } }, 5, "config.x: expected an array of strings, got a number"],
    ["text", { type: "array", items: { type: "string" } }, "a", "config.x: expected an array of strings, got a string"],
    ["item", { type: "array", items: { type: "string" } }, ["a", null], "config.x[1]: expected a string, got null"],
    ["few", { type: "array", minItems: 1 }, [], "config.x: expected at least 1 item, got 0"],
    ["many", { type: "array", maxItems: 1 }, [1, 2], "config.x: expected at most 1 item, got 2"],
    ["short", { type: "string", minLength: 2 }, "🚀", "config.x: expected at least 2 characters, got 1"],
    ["long", { type: "string", maxLength: 1 }, "ab", "config.x: expected at most 1 character, got 2"],
    ["pattern", { type: "string", pattern: "^\\d$" }, "a", 'config.x: expected text that matches ^\\d$, got "a"'],
    ["fraction", { type: "integer" }, 1.5, "config.x: expected an integer, got 1.5"],
    ["small", { type: "number", minimum: 2 }, 1, "config.x: expected at least 2, got 1"],
    ["large", { type: "number", maximum: 2 }, 3, "config.x: expected at most 2, got 3"],
    ["low end", { type: "number", exclusiveMinimum: 2 }, 2, "config.x: expected more than 2, got 2"],
    ["high end", { type: "number", exclusiveMaximum: 2 }, 2, "config.x: expected less than 2, got 2"],
    ["boolean", { type: "boolean" }, "true?", "config.x: expected true or false, got a string"],
    ["choice", { enum: ["a", "b"] }, "c", 'config.x: expected one of "a", "b", got "c"'],
    ["constant", { const: 1 }, 2, "config.x: expected 1, got 2"],
    ["both", { type: "string", enum: ["a"] }, "b", 'config.x: expected "a", got "b"'],
    ["object", { type: "object" }, [], "config.x: expected an object, got an array"],
    [
      "unknown",
      { type: "object", additionalProperties: false, properties: { a: {} } },
      { a: 1, "b c": 2 },
      'config.x["b c"]: unknown',
    ],
    [
      "other",
      { type: "object", additionalProperties: { type: "null" } },
      { a: 1 },
      "config.x.a: expected null, got a number",
    ],
    ["missing", { type: "object", properties: { a: {} }, required: ["a"] }, {}, "config.x.a: required, but missing"],
  ])("%s", (_name, schema, value, message) => {
    expect(() => read(object({ x: schema }), { x: value })).toThrow(new TypeError(message));
  });

  test("missing at the top", () => {
    expect(() => read(object({ x: { type: "string" } }, ["x"]), {})).toThrow("config.x: required, but missing");
  });
});

describe("an invalid schema is an error while the guard is built", () => {
  test.each<[string, unknown, string]>([
    ["no object", 5, "config: expected a JSON schema, got a number"],
    ["another type", { type: "array" }, 'config.type: expected "object"'],
    ["unknown keyword", { type: "object", oneOf: [] }, "config.oneOf: this keyword is not supported here"],
    ["open end", { type: "object", additionalProperties: { type: "string" } }, "config.additionalProperties"],
    ["misspelt keyword", object({ x: { type: "string", minlength: 1 } as never }), "config.properties.x.minlength"],
    ["another type's keyword", object({ x: { type: "string", minItems: 1 } }), "this keyword is only for type array"],
    [
      "several types",
      object({ x: { type: ["string", "null"] as never } }),
      "config.properties.x.type: expected one of",
    ],
    ["no type", object({ x: {} }), "config.properties.x: a type is required"],
    ["mixed choices", object({ x: { enum: ["a", 1] } }), "list only strings, or no strings"],
    ["no choices", object({ x: { enum: [] } }), "config.properties.x.enum: expected a list"],
    ["deep choice", object({ x: { enum: [{}] as never } }), "not an object"],
    ["bad pattern", object({ x: { type: "string", pattern: "(" } }), "config.properties.x.pattern"],
    ["bad count", object({ x: { type: "string", minLength: -1 } }), "expected a count, got -1"],
    ["bad bound", object({ x: { type: "number", minimum: "1" as never } }), "config.properties.x.minimum"],
    [
      "default",
      object({ x: { type: "array", items: { type: "string" }, default: [1] } }),
      "config.properties.x.default[0]: expected a string, got a number",
    ],
    ["required", object({ x: { type: "string" } }, ["y"]), '"y" is not among the properties'],
    ["prototype", { type: "object", properties: JSON.parse('{"__proto__": {"type": "string"}}') }, "__proto__"],
    ["properties", { type: "object", properties: [] }, "config.properties: expected an object, got an array"],
    ["items", object({ x: { type: "array", items: 5 as never } }), "config.properties.x.items: expected a schema"],
  ])("%s", (_name, schema, message) => {
    expect(() => compileConfig(schema as ConfigSchema)).toThrow(TypeError);
    expect(() => compileConfig(schema as ConfigSchema)).toThrow(message);
  });
});

test("every config is read as the schema says, or is an error that names the place", () => {
  const schema = object({
    words: { type: "array", items: { type: "string", maxLength: 5 }, default: [] },
    most: { type: "integer", minimum: 0 },
    mode: { enum: ["a", "b"], default: "a" },
    deep: {
      type: "object",
      additionalProperties: { type: "array", items: { type: "boolean" } },
      properties: { on: { type: "boolean", default: true } },
    },
  });
  const readConfig = compileConfig(schema);
  const value = fc.oneof(
    fc.jsonValue(),
    fc.array(fc.string()),
    fc.constantFrom("a", "b", "c"),
    fc.integer(),
    fc.dictionary(fc.string(), fc.array(fc.boolean())),
  );
  const configs = fc.record({ words: value, most: value, mode: value, deep: value }, { requiredKeys: [] });
  fc.assert(
    fc.property(configs, (config) => {
      let got: Record<string, unknown>;
      try {
        got = readConfig(makeHost(config).config);
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
        expect((error as Error).message).toMatch(/^config\.(words|most|mode|deep)[.[:]/);
        return;
      }
      const { words, most, mode, deep } = got as {
        words: string[];
        most?: number;
        mode: string;
        deep?: Record<string, unknown>;
      };
      expect(words.every((word) => typeof word === "string" && [...word].length <= 5)).toBe(true);
      expect(most === undefined || (Number.isInteger(most) && most >= 0)).toBe(true);
      expect(["a", "b"]).toContain(mode);
      if (deep !== undefined) {
        const { on, ...others } = deep;
        expect(typeof on).toBe("boolean");
        for (const one of Object.values(others))
          expect(one).toSatisfy((list: unknown[]) => list.every((item) => typeof item === "boolean"));
      }
    }),
    { numRuns: 2_000 },
  );
});
