import type { JsonObject, JsonValue } from "../../json.ts";
import type { Failure } from "../../outcome.ts";

/** Replaces `${PATH}` in a tool's configured input by fields of the event. */

type FilledInput =
  | { readonly ok: true; readonly input: JsonObject }
  | { readonly ok: false; readonly failure: Failure };

/** The maximum length of the result, because a short input may name a long field many times. */
const MAX_INPUT_CHARACTERS = 1_048_576;

/** Matches names and list indices with dots between them. Any other `$` does not change. */
const PLACEHOLDER = /\$\{([\w-]+(?:\.[\w-]+)*)\}/g;

class TooLong extends Error {
  readonly characters: number;
  constructor(characters: number) {
    super();
    this.characters = characters;
  }
}

/**
 * Fills all texts of the input, also in objects and lists. Keys do not change. A missing field becomes an empty text; a
 * value that is not a text becomes JSON. Field values are not expanded again.
 */
export function fillInput(input: JsonObject, event: JsonObject, limit: number = MAX_INPUT_CHARACTERS): FilledInput {
  let characters = 0;
  const count = (text: string): string => {
    characters += text.length;
    if (characters > limit) throw new TooLong(characters);
    return text;
  };
  const fillText = (text: string): string => {
    count(text);
    return text.replace(PLACEHOLDER, (_, path: string) => count(textAt(event, path)));
  };
  const fill = (value: JsonValue): JsonValue => {
    if (typeof value === "string") return fillText(value);
    if (Array.isArray(value)) return value.map(fill);
    return isObject(value) ? fillObject(value) : value;
  };
  const fillObject = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([key, value]) => [key, fill(value)]));
  try {
    return { ok: true, input: fillObject(input) };
  } catch (thrown) {
    if (!(thrown instanceof TooLong)) throw thrown;
    const { characters: value } = thrown;
    const message = `the tool's input would have ${value} characters or more, over the limit of ${limit}`;
    return { ok: false, failure: { kind: "capability", message, limit, value } };
  }
}

function textAt(event: JsonObject, path: string): string {
  let at: JsonValue | undefined = event;
  for (const name of path.split(".")) at = fieldOf(at, name);
  if (at === undefined) return "";
  return typeof at === "string" ? at : JSON.stringify(at);
}

/** Reads an own field only, because inherited fields are not part of the event. */
function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (Array.isArray(value)) return /^\d{1,9}$/.test(name) ? (value[Number(name)] as JsonValue | undefined) : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
