import { isJsonObject, type JsonValue } from "../event.ts";
import { redactSecrets } from "./redact.ts";

/** Deeper than any event is. What lies below is not looked through, so it is left out. */
const MAX_DEPTH = 256;
const LEFT_OUT = "[left out: nested too deeply to be looked through for secrets]";

/** JSON without the secrets in its texts and keys. The name of a field tells what its text is. */
export function redactJson(value: JsonValue, name?: string, depth = 0): JsonValue {
  if (typeof value === "string") return redactSecrets(value, name);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return LEFT_OUT;
  if (!isJsonObject(value)) return value.map((item) => redactJson(item, name, depth + 1));
  const entries = Object.entries(value).map(
    ([key, item]) => [redactSecrets(key), redactJson(item, key, depth + 1)] as const,
  );
  return Object.fromEntries(withoutDoubles(entries));
}

/** Two keys that were secrets are two fields still. */
function withoutDoubles(entries: readonly (readonly [string, JsonValue])[]): readonly (readonly [string, JsonValue])[] {
  const seen = new Set<string>();
  return entries.map(([key, value]) => {
    let name = key;
    for (let number = 2; seen.has(name); number++) name = `${key} ${number}`;
    seen.add(name);
    return [name, value] as const;
  });
}
