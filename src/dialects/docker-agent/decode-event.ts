import { callersFolder } from "../../caller.ts";
import type { JsonObject } from "../../json.ts";
import type { DecodedEvent } from "../dialect.ts";
import { agentEvent, canonicalEvent, canonicalPayload } from "./spelling.ts";

/** Decodes an event. The command line may use the agent's name or the canonical name of the event. */
export function decodeEvent(payload: JsonObject, eventName: string | undefined): DecodedEvent {
  const named = payload["hook_event_name"];
  if (named !== undefined && typeof named !== "string")
    return { ok: false, message: "hook_event_name must be a string" };
  const wanted = eventName === undefined ? undefined : agentEvent(eventName);
  const agentName = named ?? wanted;
  if (agentName === undefined)
    return { ok: false, message: "the payload has no hook_event_name, and no event was named" };
  if (wanted !== undefined && agentName !== wanted)
    return { ok: false, message: `the payload says it is ${agentName}, the command line says ${eventName}` };
  const name = canonicalEvent(agentName);
  if (name === undefined) return { ok: false, message: `docker-agent has no event "${agentName}"` };
  return { ok: true, name, payload: canonicalPayload(name, withWorkingDirectory(payload)) };
}

/**
 * Adds hookbox's working directory as `cwd` if the payload has none. Every hook event needs `cwd`, and docker-agent
 * uses its own working directory in this case.
 */
function withWorkingDirectory(payload: JsonObject): JsonObject {
  const { cwd } = payload;
  return cwd === undefined || cwd === "" ? { ...payload, cwd: callersFolder() } : payload;
}
