import { dialectNamed } from "../dialects/registry.ts";
import { suggest } from "../dialects/suggest.ts";
import { describeThrown, HookError } from "../errors.ts";
import { type HookEvent, isJsonObject, type JsonObject, type JsonValue } from "../event.ts";
import type { EventContract } from "../events/contract.ts";
import { contractOf, EVENT_NAMES } from "../events/lookup.ts";
import { excessOfValue, type JsonBounds, type JsonExcess } from "../json-bounds.ts";
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
      hint: suggest(eventName, EVENT_NAMES) ?? `events are such as ${EVENT_NAMES.filter(isUsual).join(", ")}`,
    });
  }
  if (!isJsonObject(payload)) throw new HookError("HOOK_PAYLOAD_INVALID", "the payload must be a JSON object");
  refuseExcess(payload);
  const missing = contract.required.find((field) => typeof payload[field] !== "string");
  if (missing !== undefined) {
    throw new HookError("HOOK_PAYLOAD_INVALID", `${eventName}: the payload needs a "${missing}" that is a string`);
  }
  const input = payload["tool_input"];
  // Guards look into its fields: of anything else they would have nothing to refuse.
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

/** The most asked for: there are more than a hundred. */
const isUsual = (name: string): boolean =>
  ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart"].includes(name);

/** Throws for a payload beyond the bounds: what reads it later is recursive, and would run out of stack. */
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

/** `null` is how some agents say that there is none. */
function isInput(value: JsonValue): boolean {
  return value === null || isJsonObject(value);
}
