import { excessOfText } from "./json-bounds.ts";

/** An event: one moment in an agent's work, with canonical names. */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export interface HookEvent {
  /** The canonical name, such as `PreToolUse`. */
  readonly name: string;
  /** The dialect of the agent that sent the event. The dialect selects overrides in the contract table. */
  readonly dialect: string;
  /** Set if only the preempt lane is asked. Some fields of the event's row differ for this lane. */
  readonly lane?: "preempt";
  /** Further names of the event's tool. Matchers may use these names too. */
  readonly toolNames?: readonly string[];
  /** The payload with canonical snake_case keys. Contains `hook_event_name`. */
  readonly payload: JsonObject;
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
