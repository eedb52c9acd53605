import { isJsonObject, type JsonObject } from "../json.ts";

/**
 * Returns a frozen deep copy that contains only JSON, so that the tool gets what the rules saw as text. Getters, dates
 * and other objects could read differently the second time. Returns `undefined` if the value is not a JSON object.
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
