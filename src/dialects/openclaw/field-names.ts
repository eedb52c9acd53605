import type { JsonObject, JsonValue } from "../../json.ts";

/**
 * Converts field names between camelCase and snake_case. A field whose name has neither form is kept apart, so that
 * converting back gives the same object.
 */

const CAMEL = /^[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)*$/;
const SNAKE = /^[a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)*$/;

interface SnakeFields {
  readonly named: JsonObject;
  /** Fields without a snake_case name, unchanged. */
  readonly odd: JsonObject;
}

/**
 * Converts field names to snake_case. `own` maps fields whose other name is not just another spelling. No other field
 * may use these names or the names in `taken`.
 */
export function snakeFields(
  fields: JsonObject,
  own: Readonly<Record<string, string>>,
  taken: readonly string[],
): SnakeFields {
  const reserved = new Set([...taken, ...Object.values(own)]);
  const named: [string, JsonValue][] = [];
  const odd: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(fields)) {
    const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (Object.hasOwn(own, key)) named.push([own[key] as string, value]);
    else if (CAMEL.test(key) && !reserved.has(snake)) named.push([snake, value]);
    else odd.push([key, value]);
  }
  return { named: Object.fromEntries(named), odd: Object.fromEntries(odd) };
}

export function camelFields(
  fields: JsonObject,
  own: Readonly<Record<string, string>>,
  left: readonly string[],
): JsonObject {
  const names = new Map(Object.entries(own).map(([camel, snake]) => [snake, camel]));
  const entries = Object.entries(fields).filter(([key]) => !left.includes(key));
  return Object.fromEntries(entries.map(([key, value]): [string, JsonValue] => [names.get(key) ?? camel(key), value]));
}

function camel(key: string): string {
  return SNAKE.test(key) ? key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : key;
}
