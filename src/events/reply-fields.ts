import type { JsonObject } from "../json.ts";
import { cleanLine } from "../text.ts";

/** Readers for single fields of a reply. A field of the wrong type makes the whole reply invalid. */

/** The maximum length of a hook's own text in a message about the hook's reply. */
export const MAX_QUOTED = 300;

export class InvalidReply extends Error {}

export function refuseUnknown(
  object: JsonObject,
  known: ReadonlySet<string>,
  ofEvent: readonly string[],
  prefix: string,
  strict: boolean,
  ignored: string[],
): void {
  for (const key of Object.keys(object)) {
    if (known.has(key) || ofEvent.includes(key)) continue;
    if (strict) throw new InvalidReply(`unknown field ${prefix}${key}`);
    ignored.push(`${cleanLine(prefix + key, MAX_QUOTED)}: unknown field`);
  }
}

export function readText(object: JsonObject, key: string, prefix = ""): string | undefined {
  const value = object[key];
  if (value === undefined || typeof value === "string") return value;
  throw new InvalidReply(`${prefix}${key} must be a string`);
}

export function readBoolean(object: JsonObject, key: string): boolean | undefined {
  const value = object[key];
  if (value === undefined || typeof value === "boolean") return value;
  throw new InvalidReply(`${key} must be true or false`);
}
