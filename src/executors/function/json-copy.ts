import { isJsonObject, type JsonValue } from "../../event.ts";

const MAX_DEPTH = 64;

/**
 * A copy that shares nothing with the original. Throws for what JSON does not have: a copy that kept a function or
 * shared memory would be no copy.
 */
export function jsonCopy(value: unknown, depth = 0): JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`${value} is not a number in JSON`);
    return value;
  }
  if (depth >= MAX_DEPTH) throw new TypeError(`nested deeper than ${MAX_DEPTH} levels, or contains itself`);
  if (Array.isArray(value)) return Array.from(value, (item) => jsonCopy(item === undefined ? null : item, depth + 1));
  if (!isJsonObject(value) || !isPlain(value)) throw new TypeError(`${kindOf(value)} has no place in JSON`);
  const entries = Object.entries(value).filter(([, item]) => (item as unknown) !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, jsonCopy(item, depth + 1)]));
}

/** Also when it comes from another realm, such as a test's sandbox. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function kindOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return `a ${typeof value}`;
  return `an object of class ${value.constructor?.name ?? "?"}`;
}
