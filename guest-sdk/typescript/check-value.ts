import type { Scalar, TypeName, ValueSchema } from "./config-schema.ts";
import { nameValue } from "./name-value.ts";

/**
 * Checks a JSON value, and fills in its missing parts with defaults.
 * @returns the problem, beginning with its place: `[2]: expected a string, got null`
 */
type Check = (value: unknown) => string | undefined;

const KEYWORDS: Readonly<Record<TypeName | "any", readonly string[]>> = {
  any: ["type", "enum", "const", "default", "title", "description", "examples", "deprecated", "$schema", "$comment"],
  string: ["minLength", "maxLength", "pattern"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  boolean: [],
  null: [],
  array: ["items", "minItems", "maxItems"],
  object: ["properties", "required", "additionalProperties"],
};

export interface Compiled {
  readonly check: Check;
  /** The default, including defaults of its parts. Frozen, because all calls share it. */
  readonly fallback: unknown;
}

/**
 * Compiles a schema to a check when the guard is built, so that a call does not read the schema again.
 *
 * @param place of the schema, for messages: `config.properties.words`
 * @throws TypeError for an invalid or unsupported schema
 */
export function compileCheck(schema: ValueSchema, place: string): Compiled {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
    throw new TypeError(`${place}: expected a schema, got ${nameValue(schema)}`);
  }
  refuseUnknownKeywords(schema, place);
  const checks: Check[] = [];
  if (schema.const !== undefined) checks.push(oneOf([schema.const], place));
  if (schema.enum !== undefined) checks.push(oneOf(schema.enum, place));
  if (schema.type !== undefined) checks.push(TYPES[schema.type](schema, place));
  const [first, ...others] = checks;
  const check =
    others.length > 0
      ? (value: unknown) => {
          for (const one of checks) {
            const flaw = one(value);
            if (flaw !== undefined) return flaw;
          }
          return undefined;
        }
      : (first ?? (() => undefined));
  if (schema.default === undefined) return { check, fallback: undefined };
  const fallback: unknown = JSON.parse(JSON.stringify(schema.default));
  const flaw = check(fallback);
  if (flaw !== undefined) throw new TypeError(`${place}.default${flaw}`);
  return { check, fallback: freeze(fallback) };
}

function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}

function refuseUnknownKeywords(schema: ValueSchema, place: string): void {
  const { type } = schema;
  if (type !== undefined && (typeof type !== "string" || !Object.hasOwn(TYPES, type))) {
    throw new TypeError(
      `${place}.type: expected one of ${Object.keys(TYPES).join(", ")}, got ${JSON.stringify(type)}; for several, use enum`,
    );
  }
  const known = [...KEYWORDS.any, ...(type === undefined ? [] : KEYWORDS[type])];
  for (const keyword of Object.keys(schema)) {
    if (known.includes(keyword)) continue;
    const owners = (Object.keys(TYPES) as TypeName[]).filter((name) => KEYWORDS[name].includes(keyword));
    throw new TypeError(
      owners.length === 0
        ? `${place}.${keyword}: this keyword is not supported`
        : `${place}.${keyword}: this keyword is only for type ${owners.join(" or ")}`,
    );
  }
}

const TYPES: Readonly<Record<TypeName, (schema: ValueSchema, place: string) => Check>> = {
  string: checkString,
  number: (schema, place) => checkNumber(schema, place, "a number"),
  integer: (schema, place) => checkNumber(schema, place, "an integer"),
  boolean: () => (value) => (typeof value === "boolean" ? undefined : wrong("true or false", value)),
  null: () => (value) => (value === null ? undefined : wrong("null", value)),
  array: checkArray,
  object: checkObject,
};

function checkString(schema: ValueSchema, place: string): Check {
  const { minLength, maxLength } = schema;
  requireCount(minLength, `${place}.minLength`);
  requireCount(maxLength, `${place}.maxLength`);
  const pattern = schema.pattern === undefined ? undefined : compilePattern(schema.pattern, `${place}.pattern`);
  const plain = minLength === undefined && maxLength === undefined && pattern === undefined;
  return (value) => {
    if (typeof value !== "string") return wrong("a string", value);
    if (plain) return undefined;
    const length = minLength === undefined && maxLength === undefined ? 0 : [...value].length;
    if (minLength !== undefined && length < minLength) {
      return `: expected at least ${count(minLength, "character")}, got ${length}`;
    }
    if (maxLength !== undefined && length > maxLength) {
      return `: expected at most ${count(maxLength, "character")}, got ${length}`;
    }
    return pattern === undefined || pattern.test(value)
      ? undefined
      : `: expected text that matches ${schema.pattern}, got ${quote(value)}`;
  };
}

function compilePattern(pattern: unknown, place: string): RegExp {
  if (typeof pattern !== "string") throw new TypeError(`${place}: expected a string, got ${nameValue(pattern)}`);
  try {
    return new RegExp(pattern, "u");
  } catch (error) {
    throw new TypeError(`${place}: ${error instanceof Error ? error.message : "not a regular expression"}`);
  }
}

function checkNumber(schema: ValueSchema, place: string, what: string): Check {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  for (const [name, bound] of Object.entries({ minimum, maximum, exclusiveMinimum, exclusiveMaximum })) {
    if (bound !== undefined && !Number.isFinite(bound)) {
      throw new TypeError(`${place}.${name}: expected a number, got ${nameValue(bound)}`);
    }
  }
  const whole = schema.type === "integer";
  return (value) => {
    if (typeof value !== "number") return wrong(what, value);
    if (whole && !Number.isInteger(value)) return `: expected an integer, got ${value}`;
    if (minimum !== undefined && value < minimum) return `: expected at least ${minimum}, got ${value}`;
    if (maximum !== undefined && value > maximum) return `: expected at most ${maximum}, got ${value}`;
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) {
      return `: expected more than ${exclusiveMinimum}, got ${value}`;
    }
    if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) {
      return `: expected less than ${exclusiveMaximum}, got ${value}`;
    }
    return undefined;
  };
}

function checkArray(schema: ValueSchema, place: string): Check {
  const { minItems, maxItems } = schema;
  requireCount(minItems, `${place}.minItems`);
  requireCount(maxItems, `${place}.maxItems`);
  const checkItem = schema.items === undefined ? undefined : compileCheck(schema.items, `${place}.items`).check;
  const what = nameType(schema);
  return (value) => {
    if (!Array.isArray(value)) return wrong(what, value);
    const { length } = value;
    if (minItems !== undefined && length < minItems) {
      return `: expected at least ${count(minItems, "item")}, got ${length}`;
    }
    if (maxItems !== undefined && length > maxItems) {
      return `: expected at most ${count(maxItems, "item")}, got ${length}`;
    }
    if (checkItem === undefined) return undefined;
    for (let index = 0; index < length; index++) {
      const flaw = checkItem(value[index]);
      if (flaw !== undefined) return `[${index}]${flaw}`;
    }
    return undefined;
  };
}

function checkObject(schema: ValueSchema, place: string): Check {
  const required = requiredNames(schema, place);
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    ...compileCheck(property, `${place}.properties.${name}`),
    isRequired: required.includes(name),
  }));
  const others = schema.additionalProperties ?? true;
  const checkOther =
    typeof others === "object" ? compileCheck(others, `${place}.additionalProperties`).check : undefined;
  const names = new Set(properties.map(({ name }) => name));
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return wrong("an object", value);
    const object = value as Record<string, unknown>;
    for (const { name, check, fallback, isRequired } of properties) {
      if (Object.hasOwn(object, name)) {
        const flaw = check(object[name]);
        if (flaw !== undefined) return step(name) + flaw;
      } else if (fallback !== undefined) object[name] = fallback;
      else if (isRequired) return `${step(name)}: required, but missing`;
    }
    if (others === true) return undefined;
    for (const name of Object.keys(object)) {
      if (names.has(name)) continue;
      if (checkOther === undefined) return `${step(name)}: unknown`;
      const flaw = checkOther(object[name]);
      if (flaw !== undefined) return step(name) + flaw;
    }
    return undefined;
  };
}

/** Returns the names that a schema requires. All of them must be in `properties`. */
export function requiredNames(schema: Pick<ValueSchema, "required" | "properties">, place: string): readonly string[] {
  const { required = [], properties = {} } = schema;
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) {
    throw new TypeError(`${place}.properties: expected an object, got ${nameValue(properties)}`);
  }
  // Assigning to `__proto__` would change the object's prototype.
  if (Object.hasOwn(properties, "__proto__")) throw new TypeError(`${place}.properties: __proto__ cannot be a name`);
  if (!Array.isArray(required)) throw new TypeError(`${place}.required: expected an array, got ${nameValue(required)}`);
  for (const name of required) {
    if (typeof name !== "string" || !Object.hasOwn(properties, name)) {
      throw new TypeError(`${place}.required: ${quote(name)} is not among the properties`);
    }
  }
  return required;
}

function oneOf(choices: readonly Scalar[], place: string): Check {
  if (!Array.isArray(choices) || choices.length === 0) throw new TypeError(`${place}.enum: expected a list of values`);
  for (const choice of choices) {
    if (choice !== null && !["string", "number", "boolean"].includes(typeof choice)) {
      throw new TypeError(
        `${place}: only strings, numbers, true, false and null can be listed, not ${nameValue(choice)}`,
      );
    }
  }
  const list = choices.map(quote).join(", ");
  return (value) =>
    choices.includes(value as Scalar)
      ? undefined
      : `: expected ${choices.length === 1 ? list : `one of ${list}`}, got ${quote(value)}`;
}

const PLURALS: Readonly<Record<TypeName, string>> = {
  string: "strings",
  number: "numbers",
  integer: "integers",
  boolean: "true or false",
  null: "null",
  array: "arrays",
  object: "objects",
};

/** Returns the type that a schema expects, for messages: `an array of strings`. */
export function nameType({ type, items }: ValueSchema): string {
  if (type === "array") return items?.type === undefined ? "an array" : `an array of ${PLURALS[items.type]}`;
  if (type === "boolean") return "true or false";
  if (type === undefined || type === "null") return type ?? "a value";
  return `${/^[aeio]/.test(type) ? "an" : "a"} ${type}`;
}

function wrong(expected: string, value: unknown): string {
  return `: expected ${expected}, got ${nameValue(value)}`;
}

function step(name: string): string {
  return /^[\w$-]+$/.test(name) ? `.${name}` : `[${quote(name)}]`;
}

function quote(value: unknown): string {
  return typeof value === "object" && value !== null ? nameValue(value) : String(JSON.stringify(value)).slice(0, 80);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function requireCount(value: unknown, place: string): void {
  if (value === undefined || (Number.isInteger(value) && (value as number) >= 0)) return;
  throw new TypeError(`${place}: expected a count, got ${quote(value)}`);
}
