import type { Detachment } from "../codec.ts";
import { isJsonObject } from "../event.ts";

/**
 * `{"async": true, "asyncTimeout"?: seconds}`: a hook's way to say that it has begun something that nobody need wait for.
 * Only the first line counts, and only if it says nothing else: an answer that also decides is an answer.
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
