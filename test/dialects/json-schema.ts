/** The part of JSON Schema that our generated schema uses. An unknown keyword is an error. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

type Check = (rule: never, value: unknown, schema: JsonSchema, root: JsonSchema) => boolean;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: Number.isInteger,
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
};

const CHECKS: Readonly<Record<string, Check>> = {
  type: (type: string, value) => TYPES[type]?.(value) === true,
  const: (expected, value) => value === expected,
  enum: (allowed: unknown[], value) => allowed.includes(value),
  minLength: (least: number, value) => typeof value !== "string" || value.length >= least,
  maxLength: (most: number, value) => typeof value !== "string" || value.length <= most,
  pattern: (pattern: string, value) => typeof value !== "string" || new RegExp(pattern).test(value),
  minItems: (least: number, value) => !Array.isArray(value) || value.length >= least,
  maxItems: (most: number, value) => !Array.isArray(value) || value.length <= most,
  minimum: (least: number, value) => typeof value !== "number" || value >= least,
  maximum: (most: number, value) => typeof value !== "number" || value <= most,
  exclusiveMinimum: (least: number, value) => typeof value !== "number" || value > least,
  required: (names: string[], value) => !isObject(value) || names.every((name) => Object.hasOwn(value, name)),
  properties: (shapes: Record<string, JsonSchema>, value, _, root) =>
    !isObject(value) ||
    Object.entries(shapes).every(([name, shape]) => !Object.hasOwn(value, name) || accepts(shape, value[name], root)),
  additionalProperties: (rest: boolean | JsonSchema, value, schema, root) => {
    if (!isObject(value)) return true;
    const known = isObject(schema["properties"]) ? schema["properties"] : {};
    const others = Object.keys(value).filter((name) => !Object.hasOwn(known, name));
    return typeof rest === "boolean"
      ? rest || others.length === 0
      : others.every((name) => accepts(rest, value[name], root));
  },
  propertyNames: (names: JsonSchema, value, _, root) =>
    !isObject(value) || Object.keys(value).every((name) => accepts(names, name, root)),
  items: (item: JsonSchema, value, _, root) =>
    !Array.isArray(value) || value.every((each) => accepts(item, each, root)),
  anyOf: (options: JsonSchema[], value, _, root) => options.some((option) => accepts(option, value, root)),
  $ref: (ref: string, value, _, root) => {
    const defined = root["$defs"] as Record<string, JsonSchema>;
    const target = defined[ref.replace("#/$defs/", "")];
    if (target === undefined) throw new Error(`nothing stands at ${ref}`);
    return accepts(target, value, root);
  },
  $schema: () => true,
  $defs: () => true,
};

export function accepts(schema: JsonSchema, value: unknown, root: JsonSchema = schema): boolean {
  return Object.entries(schema).every(([keyword, rule]) => {
    const check = CHECKS[keyword];
    if (check === undefined) throw new Error(`unknown keyword ${keyword}`);
    return check(rule as never, value, schema, root);
  });
}
