import type { Detachment } from "../codec.ts";
import { isJsonObject } from "../json.ts";

/**
 * Reads `{"async": true, "asyncTimeout"?: seconds}`, with which a hook says that its work continues in the background.
 * Only the first line of output counts, and only without other keys, because a line that also decides is an answer.
 */
export function readDetachment(output: string): Detachment | undefined {
  const start = output.trimStart();
  const end = start.indexOf("\n");
  const line = (end === -1 ? start : start.slice(0, end)).trim();
  if (!line.startsWith("{") || !line.endsWith("}")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value) || value["async"] !== true) return undefined;
  const { async: _, asyncTimeout, ...others } = value;
  if (Object.keys(others).length > 0) return undefined;
  const isUsable = typeof asyncTimeout === "number" && asyncTimeout > 0;
  return { timeoutMs: isUsable ? asyncTimeout * 1_000 : undefined };
}
