import type { JsonObject, Kit } from "./case.ts";

/** Short forms of Autohand's configurations. */

/** Returns a `config.json` with these hooks. */
export const list = (...hooks: readonly JsonObject[]): JsonObject => ({ hooks: { hooks } });

export function hook(kit: Kit, name: string, event: string, text: string, more: JsonObject = {}): JsonObject {
  return { event, command: kit.script(name, text), description: name, ...more };
}

export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
