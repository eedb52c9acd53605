import { type Compiled, compileCheck, nameType, requiredNames } from "./check-value.ts";
import type { ConfigSchema, ValueSchema } from "./config-schema.ts";
import { nameValue } from "./name-value.ts";

/** Reads a rule's `config`, checked and with defaults. `get` gives one value as the ABI has it: a text. */
export type ReadConfig = (get: (key: string) => string | undefined) => Readonly<Record<string, unknown>>;

interface Property extends Compiled {
  readonly name: string;
  /** The ABI gives a string as it is, and everything else as JSON. */
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
 * Prepares the reading of `config`, once, when the guard is built.
 *
 * @throws TypeError for a schema that is wrong, that is not supported, or whose defaults do not fit it
 */
export function compileConfig(schema: ConfigSchema | undefined): ReadConfig {
  if (schema === undefined) return () => ({});
  if (typeof schema !== "object" || schema === null) {
    throw new TypeError(`config: expected a JSON schema, got ${nameValue(schema)}`);
  }
  if (schema.type !== "object") throw new TypeError('config.type: expected "object", since a config is an object');
  for (const keyword of Object.keys(schema)) {
    if (!TOP_KEYWORDS.includes(keyword)) {
      throw new TypeError(`config.${keyword}: this keyword is not supported here, so nothing would check it`);
    }
  }
  if (typeof schema.additionalProperties === "object") {
    throw new TypeError("config.additionalProperties: a guard sees only the keys that it asks for; name them");
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
      else if (isRequired) throw new TypeError(`config.${name}: required, and missing`);
      continue;
    }
    const value = isText ? text : parse(name, expected, text);
    const flaw = check(value);
    if (flaw !== undefined) throw new TypeError(`config.${name}${flaw}`);
    config[name] = value;
  }
  return config;
}

/** A text that is no JSON can only have been a string. */
function parse(name: string, expected: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new TypeError(`config.${name}: expected ${expected}, got a string`);
  }
}

/** Told from the schema alone, since `5` may be a number or a string's text. */
function isText(schema: ValueSchema, place: string): boolean {
  const { type, enum: choices = schema.const === undefined ? [] : [schema.const] } = schema;
  if (type !== undefined) return type === "string";
  const texts = choices.filter((choice) => typeof choice === "string").length;
  if (choices.length === 0) throw new TypeError(`${place}: needs a type`);
  if (texts !== 0 && texts !== choices.length) {
    throw new TypeError(`${place}: texts cannot be told from other values here; list only texts, or none`);
  }
  return texts > 0;
}
