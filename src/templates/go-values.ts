import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { GoField, GoFields } from "./go-fields.ts";

/** The values of a template: JSON, structures with known fields, and missing values. */

/** A part of an event whose fields have Go's names. */
export class GoStruct {
  readonly fields: GoFields;
  readonly json: JsonObject;
  /** A cache of converted values, because a loop reads the same list many times. */
  readonly values = new Map<string, Value>();

  constructor(fields: GoFields, json: JsonObject) {
    this.fields = fields;
    this.json = json;
  }
}

/** A missing key of an object. A template may test a missing key but not print it. */
export class Missing {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A value of a template. Only a list of a structure contains structures. */
export type Value = JsonValue | GoStruct | readonly GoStruct[];

/** Returns the value of a field. Returns `undefined` if the structure has no such field. */
export function fieldOfStruct(struct: GoStruct, name: string): Value | undefined {
  if (!Object.hasOwn(struct.fields, name)) return undefined;
  const value = struct.values.get(name) ?? readField(struct.fields[name]!, struct.json);
  struct.values.set(name, value);
  return value;
}

function readField(field: GoField, json: JsonObject): Value {
  const key = field.keys.find((one) => Object.hasOwn(json, one));
  const value = key === undefined ? field.zero : (json[key] as JsonValue);
  // Go's JSON decoder treats null as missing.
  if (value === null) return field.zero;
  if (field.fields === undefined) return value;
  const { fields } = field;
  if (Array.isArray(value))
    return value.map((item) => (isJsonObject(item) ? new GoStruct(fields, item) : item)) as Value;
  return isJsonObject(value) ? new GoStruct(fields, value) : value;
}

/** Converts a value to JSON. */
function jsonOf(value: Value): JsonValue {
  if (value instanceof GoStruct) return value.json;
  if (Array.isArray(value)) return (value as readonly (JsonValue | GoStruct)[]).map(jsonOf);
  return value as JsonValue;
}

/** Whether a value is true in Go: not empty, zero, false or missing. A structure is always true. */
export function isTrue(value: Value | Missing): boolean {
  if (value instanceof Missing || value === null) return false;
  if (value instanceof GoStruct) return true;
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object") return sortedKeys(value as JsonObject).length > 0;
  return Boolean(value);
}

export function kindOf(value: Value): string {
  if (value === null) return "nothing";
  if (value instanceof GoStruct) return "a structure";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  return typeof value === "string" ? "a text" : typeof value === "number" ? "a number" : "true or false";
}

export function isMap(value: Value): value is JsonObject {
  return isJsonObject(value) && !(value instanceof GoStruct);
}

/** A cache of sorted keys, because a loop may need them many times. Objects never change. */
const KEYS = new WeakMap<JsonObject, readonly string[]>();

/** Returns the keys in Go's order, which compares bytes. */
export function sortedKeys(map: JsonObject): readonly string[] {
  const known = KEYS.get(map);
  if (known !== undefined) return known;
  const keys = Object.keys(map).sort(compareBytes);
  KEYS.set(map, keys);
  return keys;
}

const SURROGATE = /[\ud800-\udfff]/;

export function compareBytes(one: string, other: string): number {
  // UTF-16 and UTF-8 order differ only for surrogates.
  if (SURROGATE.test(one) || SURROGATE.test(other)) return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return one === other ? 0 : one < other ? -1 : 1;
}

/** Prints a value. Numbers are printed as in JSON. */
export function textOf(value: Value): string {
  return value === null ? "<no value>" : inner(jsonOf(value));
}

function inner(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(inner).join(" ")}]`;
  if (!isJsonObject(value)) return String(value);
  const entries = sortedKeys(value).map((key) => `${key}:${inner(value[key] as JsonValue)}`);
  return `map[${entries.join(" ")}]`;
}

/** Returns JSON like Go's encoder: compact, with sorted keys, and with `<`, `>` and `&` escaped. */
export function goJson(value: Value): string {
  return JSON.stringify(isMap(value) ? ordered(value) : withOrderedMaps(jsonOf(value))).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Sorts the keys of maps. The fields of structures keep their order. */
function withOrderedMaps(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return ordered(value);
  return entriesOf(Object.entries(value).map(([key, item]) => [key, ordered(item)] as const));
}

function ordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isJsonObject(value)) return value;
  return entriesOf(sortedKeys(value).map((key) => [key, ordered(value[key] as JsonValue)] as const));
}

/** Builds an object in which `__proto__` is an ordinary key. */
function entriesOf(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  return Object.fromEntries(entries);
}
