import { isJsonObject, type JsonValue } from "../../json.ts";

const MAX_DEPTH = 64;

/** Copies a JSON value. Throws for other values, because a function or shared memory cannot be copied. */
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

/** Whether a value is a plain object, also one from another realm such as a `node:vm` context. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function kindOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return `a ${typeof value}`;
  return `an object of class ${value.constructor?.name ?? "?"}`;
}
