import { expect } from "vitest";
import type { Expected } from "./case.ts";

/** Converts to vitest's patterns; fields that are not named may exist, unless the object is empty. */
export function matching(expected: Expected | undefined): unknown {
  if (expected instanceof RegExp) return expect.stringMatching(expected);
  if (Array.isArray(expected)) return expected.map(matching);
  if (typeof expected !== "object" || expected === null) return expected;
  const fields = Object.entries(expected).map(([key, value]) => [key, matching(value)]);
  return fields.length === 0 ? {} : expect.objectContaining(Object.fromEntries(fields));
}
