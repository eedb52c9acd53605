import { isJsonObject, type JsonValue } from "../json.ts";
import { type Redacting, redactingSteps } from "./redact.ts";

/** The maximum depth of searched JSON. Deeper parts are left out; no event has this depth. */
const MAX_DEPTH = 256;
export const LEFT_OUT = "[left out: nested too deeply to be searched for secrets]";

interface RedactingJson extends Redacting {
  /** The keys of fields that are kept as they are. Default: none. */
  readonly kept?: ReadonlySet<string> | undefined;
}

/**
 * Returns JSON without the secrets in its texts and keys. A generator: each step takes a few milliseconds. The name of
 * a field helps to recognize secrets in its text.
 */
export function* redactingJsonSteps(
  value: JsonValue,
  name?: string,
  options: RedactingJson = {},
  depth = 0,
): Generator<undefined, JsonValue> {
  if (typeof value === "string") return yield* redactingSteps(value, name, options);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) {
    options.onUnseen?.();
    return LEFT_OUT;
  }
  if (!isJsonObject(value)) {
    const items: JsonValue[] = [];
    for (const item of value) items.push(yield* redactingJsonSteps(item, name, options, depth + 1));
    return items;
  }
  const entries: (readonly [string, JsonValue])[] = [];
  const seen = new Map<string, number>();
  for (const [key, item] of Object.entries(value)) {
    const clean = yield* redactingSteps(key, undefined, options);
    const isKept = options.kept?.has(key) === true;
    const kept = isKept ? item : yield* redactingJsonSteps(item, nameOf(key, value), options, depth + 1);
    entries.push([unique(clean, seen), kept]);
  }
  return Object.fromEntries(entries);
}

/** Returns the name of a field. In `{ "name": "client_secret", "value": "…" }` it is the text of another field. */
export function nameOf(key: string, members: Readonly<Record<string, unknown>>): string {
  if (key !== "value" || typeof members[key] !== "string") return key;
  const name = members["name"] ?? members["key"];
  return typeof name === "string" ? name : key;
}

/** Makes redacted keys distinct, so that two fields remain two fields. `seen` has the last number for each key. */
function unique(key: string, seen: Map<string, number>): string {
  let name = key;
  for (let number = seen.get(key) ?? 1; seen.has(name); name = `${key} ${number}`) seen.set(key, ++number);
  if (!seen.has(name)) seen.set(name, 1);
  return name;
}
