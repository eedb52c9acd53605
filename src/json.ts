import { excessOfText } from "./json-bounds.ts";

/** JSON values, and readers of JSON objects. */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * Parses one JSON object. Returns `undefined` for other text and for text that exceeds the bounds. Like `JSON.parse`,
 * accepts duplicate keys.
 */
export function parseJsonObject(text: string): JsonObject | undefined {
  if (excessOfText(text) !== undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
