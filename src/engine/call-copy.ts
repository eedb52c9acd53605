import { HookError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { excessOfValue, JSON_BOUNDS, type JsonBounds } from "../json-bounds.ts";
import { refuseExcess } from "./accept-event.ts";
import { frozenJson } from "./frozen-json.ts";
import type { ToolCall } from "./tool-call-host.ts";

/** A copy of a tool call. The copy reads each field once, so that all phases judge the same values. */
export interface CallCopy {
  readonly toolName: string;
  readonly toolUseId: string | undefined;
  readonly payload: JsonObject;
  /** `undefined` if the input is not a JSON object within the bounds. */
  readonly input: JsonObject | undefined;
  /** Why `input` is `undefined`. */
  readonly inputProblem: string | undefined;
}

/** Bounds for payload, input and response separately. The last event of a call contains all three. */
export const PART_BOUNDS: JsonBounds = { depth: JSON_BOUNDS.depth - 1, values: JSON_BOUNDS.values / 3 - 100 };

export function copyOf({ toolName, toolUseId, payload, input }: ToolCall): CallCopy {
  refuseExcess(payload, PART_BOUNDS);
  const fields = frozenJson(payload ?? {});
  if (fields === undefined) throw new HookError("HOOK_PAYLOAD_INVALID", "a tool call's payload must be a JSON object");
  const copy = frozenJson(input);
  const inputProblem = problemOf(copy ?? input) ?? (copy === undefined ? "is not a JSON object" : undefined);
  return { toolName, toolUseId, payload: fields, input: inputProblem === undefined ? copy : undefined, inputProblem };
}

function problemOf(input: unknown): string | undefined {
  try {
    return excessOfValue(input, PART_BOUNDS)?.message;
  } catch {
    return undefined;
  }
}

/** Builds the payload of one event of the call, with the input as rewritten so far. */
export function payloadOf(
  { toolName, toolUseId, payload }: CallCopy,
  input: JsonObject,
  more: JsonObject = {},
): JsonObject {
  const id = toolUseId === undefined ? {} : { tool_use_id: toolUseId };
  return { ...payload, tool_name: toolName, tool_input: input, ...id, ...more };
}
