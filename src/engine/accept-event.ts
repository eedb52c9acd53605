import { dialectNamed } from "../dialects/registry.ts";
import { describeThrown, HookError } from "../errors.ts";
import type { HookEvent } from "../event.ts";
import type { EventContract } from "../events/contract.ts";
import { contractOf, EVENT_NAMES } from "../events/lookup.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { excessOfValue, type JsonBounds, type JsonExcess } from "../json-bounds.ts";
import { suggest } from "../suggest.ts";
import type { DispatchOptions } from "./options.ts";

export interface AcceptedEvent {
  readonly event: HookEvent;
  readonly contract: EventContract;
}

/**
 * Checks an event from the caller. Throws a `HookError` if the event is unknown or its payload does not fit the event.
 */
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
      hint: suggest(eventName, EVENT_NAMES) ?? `common events: ${EVENT_NAMES.filter(isUsual).join(", ")}`,
    });
  }
  if (!isJsonObject(payload)) throw new HookError("HOOK_PAYLOAD_INVALID", "the payload must be a JSON object");
  refuseExcess(payload);
  const missing = contract.required.find((field) => typeof payload[field] !== "string");
  if (missing !== undefined) {
    throw new HookError("HOOK_PAYLOAD_INVALID", `${eventName}: the payload needs the field "${missing}", a string`);
  }
  const input = payload["tool_input"];
  // Guards judge the fields of `tool_input`. In a value that is not an object, guards would find nothing to refuse.
  if (contract.kind === "gate" && contract.subject === "tool_name" && input !== undefined && !isInput(input)) {
    throw new HookError("HOOK_PAYLOAD_INVALID", `${eventName}: tool_input must be an object`);
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

/** Whether the hint names the event. There are more than a hundred events, so the hint names only the usual events. */
const isUsual = (name: string): boolean =>
  ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart"].includes(name);

/** Throws for a payload that is too deep or too large, because recursive readers would overflow the stack. */
export function refuseExcess(payload: unknown, bounds?: JsonBounds): void {
  let excess: JsonExcess | undefined;
  try {
    excess = excessOfValue(payload, bounds);
  } catch (error) {
    throw new HookError("HOOK_PAYLOAD_INVALID", `the payload cannot be read: ${describeThrown(error)}`);
  }
  if (excess === undefined) return;
  const hint = excess.bound === "depth" ? { hint: "a payload that contains itself counts as nested too deeply" } : {};
  throw new HookError("HOOK_PAYLOAD_LIMIT", `the payload ${excess.message}`, hint);
}

/** Whether the value is a valid tool input. Some agents send `null` if a tool has no input. */
function isInput(value: JsonValue): boolean {
  return value === null || isJsonObject(value);
}
