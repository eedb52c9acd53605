import { nameValue } from "../name-value.ts";

/** Returns the value if it is a string. Otherwise throws a TypeError: `state: the key must be a string, got …`. */
export function requireText(whose: string, what: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError(`${whose}: the ${what} must be a string, got ${nameValue(value)}`);
}
