import { isJsonObject, type JsonObject } from "../event.ts";

/**
 * A copy of its own that nobody can change any more, made of nothing but JSON: what rules were shown as text is then
 * what the tool gets, without getters, dates or other objects that could read differently the second time.
 * `undefined` for what is not a JSON object.
 */
export function frozenJson(value: unknown): JsonObject | undefined {
  try {
    const copy: unknown = JSON.parse(JSON.stringify(value));
    if (!isJsonObject(copy)) return undefined;
    freeze(copy);
    return copy;
  } catch {
    return undefined;
  }
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const part of Object.values(value)) freeze(part);
  Object.freeze(value);
}
