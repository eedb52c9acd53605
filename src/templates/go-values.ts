import { isJsonObject, type JsonObject, type JsonValue } from "../event.ts";
import type { GoField, GoFields } from "./go-fields.ts";

/** What a template works with: JSON, structures whose fields are known, and the lack of a value. */

/** Part of an event that has Go's names for its fields. */
export class GoStruct {
  readonly fields: GoFields;
  readonly json: JsonObject;
  /** Those that were asked for: a loop asks for the same list again and again. */
  readonly values = new Map<string, Value>();

  constructor(fields: GoFields, json: JsonObject) {
    this.fields = fields;
    this.json = json;
  }
}

/** A key that its object does not have. To ask whether it is there is no mistake; to show it is one. */
export class Missing {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Only a list of a structure's holds structures itself. */
export type Value = JsonValue | GoStruct | readonly GoStruct[];

/** `undefined`: it has no such field. */
export function fieldOfStruct(struct: GoStruct, name: string): Value | undefined {
  if (!Object.hasOwn(struct.fields, name)) return undefined;
  const value = struct.values.get(name) ?? readField(struct.fields[name]!, struct.json);
  struct.values.set(name, value);
  return value;
}

function readField(field: GoField, json: JsonObject): Value {
  const key = field.keys.find((one) => Object.hasOwn(json, one));
  const value = key === undefined ? field.zero : (json[key] as JsonValue);
  // Go's reader takes null for "not there".
  if (value === null) return field.zero;
  if (field.fields === undefined) return value;
  const { fields } = field;
  if (Array.isArray(value))
    return value.map((item) => (isJsonObject(item) ? new GoStruct(fields, item) : item)) as Value;
  return isJsonObject(value) ? new GoStruct(fields, value) : value;
}

/** The JSON below a value. */
export function jsonOf(value: Value): JsonValue {
  if (value instanceof GoStruct) return value.json;
  if (Array.isArray(value)) return (value as readonly (JsonValue | GoStruct)[]).map(jsonOf);
  return value as JsonValue;
}

/** Empty texts, lists and objects, zero, false and nothing are as good as false. A structure never is. */
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

/** To list the keys of a large map takes milliseconds, and a loop may want them thousands of times. Nobody changes it. */
const KEYS = new WeakMap<JsonObject, readonly string[]>();

/** As Go orders the keys of a map: by their bytes. */
export function sortedKeys(map: JsonObject): readonly string[] {
  const known = KEYS.get(map);
  if (known !== undefined) return known;
  const keys = Object.keys(map).sort(compareBytes);
  KEYS.set(map, keys);
  return keys;
}

const SURROGATE = /[\ud800-\udfff]/;

export function compareBytes(one: string, other: string): number {
  // Only with these does the order of UTF-16 differ from that of UTF-8.
  if (SURROGATE.test(one) || SURROGATE.test(other)) return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return one === other ? 0 : one < other ? -1 : 1;
}

/** A value in a text. Numbers are written out, as JSON has them. */
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

/** As Go's encoder: compact, the keys of maps in order, and nothing that a page of HTML would take for its own. */
export function goJson(value: Value): string {
  return JSON.stringify(isMap(value) ? ordered(value) : withOrderedMaps(jsonOf(value))).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The fields of a structure stay where they are. */
function withOrderedMaps(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return ordered(value);
  return entriesOf(Object.entries(value).map(([key, item]) => [key, ordered(item)] as const));
}

function ordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isJsonObject(value)) return value;
  return entriesOf(sortedKeys(value).map((key) => [key, ordered(value[key] as JsonValue)] as const));
}

/** `__proto__` is a key like any other. */
function entriesOf(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  return Object.fromEntries(entries);
}
