import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";

/** Finds the texts in a tool's result. A result may be one text, or an object with texts, whose form is kept. */

const MAX_DEPTH = 32;

/** Replaces each text with the result of the function. Returns the same value if no text changed. */
export async function mapTexts(
  value: JsonValue,
  replace: (text: string) => Promise<string>,
  depth = 0,
): Promise<JsonValue> {
  if (typeof value === "string") return replace(value);
  if (value === null || typeof value !== "object" || depth === MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value as readonly JsonValue[]) items.push(await mapTexts(item, replace, depth + 1));
    return items.every((item, i) => item === (value as readonly JsonValue[])[i]) ? value : items;
  }
  if (!isJsonObject(value) || isMedia(value)) return value;
  const entries: [string, JsonValue][] = [];
  for (const [key, item] of Object.entries(value)) entries.push([key, await mapTexts(item, replace, depth + 1)]);
  return entries.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(entries);
}

/** Whether a value is an image or a sound as text. A part of such a text is useless. */
function isMedia(value: JsonObject): boolean {
  const { type, isImage } = value;
  if (type === "image" || type === "audio" || isImage === true) return true;
  const mediaType = value["mimeType"] ?? value["media_type"];
  return typeof mediaType === "string" && /^(image|audio|video)\//.test(mediaType);
}
