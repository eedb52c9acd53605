import type { JsonObject, JsonValue } from "../../json.ts";
import { isObject } from "./merges/merge.ts";

/** Converts a value to JSON for a guard. A value that is not JSON is refused, because the guard could not see it. */
export function plainJson(value: unknown, what: string): JsonValue {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return Array.from(value, (one) => plainJson(one === undefined ? null : one, what));
  const prototype: unknown = typeof value === "object" ? Object.getPrototypeOf(value) : undefined;
  if (isObject(value) && (prototype === Object.prototype || prototype === null)) {
    const entries = Object.entries(value).filter(([, part]) => part !== undefined);
    return Object.fromEntries(entries.map(([key, part]) => [key, plainJson(part, what)]));
  }
  throw new TypeError(`${what} holds something that is not JSON`);
}

/** Returns the fields of a context that are data. Other fields are only for handlers in this process. */
export function dataOf(fields: Readonly<Record<string, unknown>>): JsonObject {
  const entries = Object.entries(fields).flatMap(([key, value]): [string, JsonValue][] => {
    try {
      return value === undefined ? [] : [[key, plainJson(value, key)]];
    } catch {
      return [];
    }
  });
  return Object.fromEntries(entries);
}
