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
