import type { JsonValue } from "../event.ts";
import type { ModelResult } from "./model.ts";
import { failed } from "./under-stop.ts";

/** What a tool takes is a list in an object at most. Deeper than some thousand levels nobody can write it out again. */
const MAX_INPUT_DEPTH = 64;

/** An answer whose calls can be worked with, or a failure. */
export function shallow(result: ModelResult): ModelResult {
  const deep = result.ok ? result.answer.calls.find(({ input }) => isDeeper(input, MAX_INPUT_DEPTH)) : undefined;
  if (deep === undefined) return result;
  const message = `the input of a tool is nested more than ${MAX_INPUT_DEPTH} levels deep`;
  return failed({ kind: "invalid-output", message, limit: MAX_INPUT_DEPTH });
}

/** Goes no deeper than it has to. */
function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}
