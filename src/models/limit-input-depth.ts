import type { JsonValue } from "../json.ts";
import type { ModelResult } from "./model.ts";
import { failed } from "./stoppable-request.ts";

/** The maximum depth of a tool's input. A deeper input cannot be serialised, and an input needs few levels. */
const MAX_INPUT_DEPTH = 64;

/** Turns an answer with too deeply nested calls into a failure. */
export function limitInputDepth(result: ModelResult): ModelResult {
  const deep = result.ok ? result.answer.calls.find(({ input }) => isDeeper(input, MAX_INPUT_DEPTH)) : undefined;
  if (deep === undefined) return result;
  const message = `the input of a tool is nested more than ${MAX_INPUT_DEPTH} levels deep`;
  return failed({ kind: "invalid-output", message, limit: MAX_INPUT_DEPTH });
}

/** Whether a value has more levels. Stops at the first such level. */
function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}
