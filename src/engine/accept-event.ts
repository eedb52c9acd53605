import { dialectNamed } from "../dialects/registry.ts";
import { HookError } from "../errors.ts";
import { type HookEvent, isJsonObject, type JsonObject } from "../event.ts";
import type { EventContract } from "../events/contract.ts";
import { contractOf, EVENT_NAMES } from "../events/lookup.ts";
import type { DispatchOptions } from "./options.ts";

export interface AcceptedEvent {
  readonly event: HookEvent;
  readonly contract: EventContract;
}

/** An event of the caller's, or a `HookError` when it is unknown or its payload is not of its shape. */
export function acceptEvent(
  eventName: string,
  payload: JsonObject,
  dialect: string,
  lane?: DispatchOptions["lane"],
  spellings = dialectNamed(dialect)?.codec.toolSpellings,
): AcceptedEvent {
  const ahead = lane === "preempt" ? { lane } : {};
  const contract = contractOf(eventName, dialect, ahead.lane);
  if (contract === undefined) {
    throw new HookError("HOOK_EVENT_UNKNOWN", `unknown event "${eventName}"`, {
      hint: `known events: ${EVENT_NAMES.join(", ")}`,
    });
  }
  if (!isJsonObject(payload)) throw new HookError("HOOK_PAYLOAD_INVALID", "the payload must be a JSON object");
  const missing = contract.required.find((field) => typeof payload[field] !== "string");
  if (missing !== undefined) {
    throw new HookError("HOOK_PAYLOAD_INVALID", `${eventName}: the payload needs a "${missing}" that is a string`);
  }
  const named = payload["hook_event_name"];
  if (named !== undefined && named !== eventName) {
    throw new HookError(
      "HOOK_PAYLOAD_INVALID",
      `the payload's hook_event_name is ${JSON.stringify(named)}, and the event is ${eventName}`,
    );
  }
  const tool = payload["tool_name"];
  const toolNames = typeof tool === "string" ? spellings?.(tool) : undefined;
  const spelled = toolNames === undefined || toolNames.length === 0 ? {} : { toolNames };
  return {
    event: { name: eventName, dialect, payload: { ...payload, hook_event_name: eventName }, ...ahead, ...spelled },
    contract,
  };
}
