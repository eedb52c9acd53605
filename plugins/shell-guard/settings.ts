// What the rule's author may set.

import { readConfig } from "./host";
import { isList, textsOf } from "./json";
import { isJson, skipBlank } from "./json-check";

const NONE: Array<string> = [];

/** The configured paths; null when the value is not a list of strings. */
export function protectedPaths(): Array<string> | null {
  const value = readConfig("protectedPaths");
  if (value === null) return NONE;
  const start = skipBlank(value.start, value.end);
  return isJson(start, value.end) && isList(start) ? textsOf(start, value.end) : null;
}

/** On unless it is exactly `false`. */
export function watchesHistory(): bool {
  const value = readConfig("gitHistory");
  return value === null || value.end - value.start !== 5 || load<u8>(value.start) !== 0x66;
}
