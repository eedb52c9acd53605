import { type Compiled, compileCheck, nameType, requiredNames } from "./check-value.ts";
import type { ConfigSchema, ValueSchema } from "./config-schema.ts";
import { nameValue } from "./name-value.ts";

/** Reads a rule's `config`, checked and with defaults. `get` returns one value in the ABI's form: a text. */
export type ReadConfig = (get: (key: string) => string | undefined) => Readonly<Record<string, unknown>>;

interface Property extends Compiled {
  readonly name: string;
  /** Whether the value is a string, which the ABI passes unchanged. Any other value is JSON. */
  readonly isText: boolean;
  readonly expected: string;
  readonly isRequired: boolean;
}

const TOP_KEYWORDS = [
  "type",
  "properties",
  "required",
  "additionalProperties",
  "title",
  "description",
  "examples",
  "deprecated",
  "$schema",
  "$comment",
];

/**
 * Compiles the reader of `config` once, when the guard is built.
 *
 * @throws TypeError for an invalid or unsupported schema, or one whose defaults do not match it
 */
export function compileConfig(schema: ConfigSchema | undefined): ReadConfig {
  if (schema === undefined) return () => ({});
  if (typeof schema !== "object" || schema === null) {
    throw new TypeError(`config: expected a JSON schema, got ${nameValue(schema)}`);
  }
  if (schema.type !== "object") throw new TypeError('config.type: expected "object", because a config is an object');
  for (const keyword of Object.keys(schema)) {
    if (!TOP_KEYWORDS.includes(keyword)) {
      throw new TypeError(`config.${keyword}: this keyword is not supported here`);
    }
  }
  if (typeof schema.additionalProperties === "object") {
    throw new TypeError(
      "config.additionalProperties: a schema is not supported here, because a guard sees only the keys that it asks for; list them in properties",
    );
  }
  const required = requiredNames(schema, "config");
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]): Property => {
    const place = `config.properties.${name}`;
    return {
      name,
      ...compileCheck(property, place),
      isText: isText(property, place),
      expected: nameType(property),
      isRequired: required.includes(name),
    };
  });
  return (get) => readAll(properties, get);
}

function readAll(properties: readonly Property[], get: (key: string) => string | undefined): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const { name, check, isText, expected, fallback, isRequired } of properties) {
    const text = get(name);
    if (text === undefined) {
      if (fallback !== undefined) config[name] = fallback;
      else if (isRequired) throw new TypeError(`config.${name}: required, but missing`);
      continue;
    }
    const value = isText ? text : parse(name, expected, text);
    const flaw = check(value);
    if (flaw !== undefined) throw new TypeError(`config.${name}${flaw}`);
    config[name] = value;
  }
  return config;
}

/** Parses a value. A text that is not JSON can only have been a string. */
function parse(name: string, expected: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new TypeError(`config.${name}: expected ${expected}, got a string`);
  }
}

/** Whether a value is a text. The schema alone decides, because `5` may be a number or a string. */
function isText(schema: ValueSchema, place: string): boolean {
  const { type, enum: choices = schema.const === undefined ? [] : [schema.const] } = schema;
  if (type !== undefined) return type === "string";
  const texts = choices.filter((choice) => typeof choice === "string").length;
  if (choices.length === 0) throw new TypeError(`${place}: a type is required`);
  if (texts !== 0 && texts !== choices.length) {
    throw new TypeError(
      `${place}: strings and other values cannot be distinguished here; list only strings, or no strings`,
    );
  }
  return texts > 0;
}
