import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonValue } from "../../json.ts";

/**
 * Checks a value against a tool's schema. Returns the first problem, or `undefined`. Supports the parts of JSON Schema
 * that tools use: types, enums, required and known fields, items. An object with listed fields allows no others, unless
 * the schema allows them.
 */
export function problemIn(
  value: JsonValue | undefined,
  schema: JsonValue | undefined,
  where = "the input",
): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { type, enum: options, properties, required, items, additionalProperties } = schema;
  const types = [type ?? []].flat();
  if (types.length > 0 && !types.some((one) => isOfType(value, one))) {
    return `${where} must be of type ${types.join(" or ")}`;
  }
  if (Array.isArray(options) && !options.some((option) => isDeepStrictEqual(option, value))) {
    return `${where} must be one of ${JSON.stringify(options)}`;
  }
  if (Array.isArray(value)) {
    return first(value.map((item: JsonValue, index) => problemIn(item, items, `${where}[${index}]`)));
  }
  if (!isJsonObject(value)) return undefined;
  const missing = Array.isArray(required) ? required.find((key) => !Object.hasOwn(value, String(key))) : undefined;
  if (missing !== undefined) return `${where} has no field "${String(missing)}"`;
  if (!isJsonObject(properties)) return undefined;
  return first(
    Object.entries(value).map(([key, field]) => {
      if (Object.hasOwn(properties, key)) return problemIn(field, properties[key], `${where}.${key}`);
      if (isJsonObject(additionalProperties)) return problemIn(field, additionalProperties, `${where}.${key}`);
      return additionalProperties === true ? undefined : `${where} may not have a field "${key}"`;
    }),
  );
}

function isOfType(value: JsonValue | undefined, type: JsonValue): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  if (type === "object") return isJsonObject(value);
  return typeof value === type;
}

function first(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}
