import { HookError } from "../errors.ts";
import type { JsonObject } from "../event.ts";
import { frozenJson } from "./frozen-json.ts";
import type { ToolCall } from "./tool-call-host.ts";

/** A call as it was when it was made: each field is read once, so that all phases judge the same one. */
export interface CallCopy {
  readonly toolName: string;
  readonly toolUseId: string | undefined;
  readonly payload: JsonObject;
  /** `undefined` for what is not a JSON object. */
  readonly input: JsonObject | undefined;
}

export function copyOf({ toolName, toolUseId, payload, input }: ToolCall): CallCopy {
  const fields = frozenJson(payload ?? {});
  if (fields === undefined) throw new HookError("HOOK_PAYLOAD_INVALID", "a tool call's payload must be a JSON object");
  return { toolName, toolUseId, payload: fields, input: frozenJson(input) };
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
