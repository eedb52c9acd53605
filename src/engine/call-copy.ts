import { HookError } from "../errors.ts";
import type { JsonObject } from "../event.ts";
import { excessOfValue, JSON_BOUNDS, type JsonBounds } from "../json-bounds.ts";
import { refuseExcess } from "./accept-event.ts";
import { frozenJson } from "./frozen-json.ts";
import type { ToolCall } from "./tool-call-host.ts";

/** A call as it was when it was made: each field is read once, so that all phases judge the same one. */
export interface CallCopy {
  readonly toolName: string;
  readonly toolUseId: string | undefined;
  readonly payload: JsonObject;
  /** `undefined` for what is not a JSON object within the bounds. */
  readonly input: JsonObject | undefined;
  /** Why there is no input. */
  readonly inputFlaw: string | undefined;
}

/** For each of payload, input and response: the last event of a call carries all three, and some fields of its own. */
export const PART_BOUNDS: JsonBounds = { depth: JSON_BOUNDS.depth - 1, values: JSON_BOUNDS.values / 3 - 100 };

export function copyOf({ toolName, toolUseId, payload, input }: ToolCall): CallCopy {
  refuseExcess(payload, PART_BOUNDS);
  const fields = frozenJson(payload ?? {});
  if (fields === undefined) throw new HookError("HOOK_PAYLOAD_INVALID", "a tool call's payload must be a JSON object");
  const copy = frozenJson(input);
  const inputFlaw = flawOf(copy ?? input) ?? (copy === undefined ? "is not a JSON object" : undefined);
  return { toolName, toolUseId, payload: fields, input: inputFlaw === undefined ? copy : undefined, inputFlaw };
}

function flawOf(input: unknown): string | undefined {
  try {
    return excessOfValue(input, PART_BOUNDS)?.message;
  } catch {
    return undefined;
  }
}

/** What an event of the call tells, with what the call would run with by then. */
export function payloadOf(
  { toolName, toolUseId, payload }: CallCopy,
  input: JsonObject,
  more: JsonObject = {},
): JsonObject {
  const id = toolUseId === undefined ? {} : { tool_use_id: toolUseId };
  return { ...payload, tool_name: toolName, tool_input: input, ...id, ...more };
}
