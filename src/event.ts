import { excessOfText } from "./json-bounds.ts";

/** What the engine is asked: one moment of an agent's life, in canonical spelling. */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export interface HookEvent {
  /** Canonical name, e.g. `PreToolUse`. */
  readonly name: string;
  /** The agent family that the event came from; selects per-dialect overrides of the contract table. */
  readonly dialect: string;
  /** Only rules that are asked before permissions are looked at; some columns of the event's row differ for them. */
  readonly lane?: "preempt";
  /** Further names of the tool that the event is about, which matchers may say as well. */
  readonly toolNames?: readonly string[];
  /** Canonical snake_case payload. Contains `hook_event_name`. */
  readonly payload: JsonObject;
}

/**
 * `undefined` for a text that is not one JSON object, or exceeds the bounds. Takes what `JSON.parse` takes, keys that
 * stand twice among it.
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
