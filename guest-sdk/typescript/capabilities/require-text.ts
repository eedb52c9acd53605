import { nameValue } from "../name-value.ts";

/** The value, if it is a string. Throws a TypeError that says whose and which it was: `state: the key must be …`. */
export function requireText(whose: string, what: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError(`${whose}: the ${what} must be a string, got ${nameValue(value)}`);
}
