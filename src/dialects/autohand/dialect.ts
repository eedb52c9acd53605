import type { JsonObject } from "../../json.ts";
import type { AgentFile, AgentPlaces, DecodedEvent, Dialect } from "../dialect.ts";
import { autohandCodec } from "./codec.ts";
import { encodeReply } from "./encode-reply.ts";
import { AUTOHAND_EVENTS } from "./event-names.ts";
import { agentEvent, canonicalEvent, canonicalPayload } from "./spelling.ts";

/** The default timeout of a hook. */
const DEFAULT_TIMEOUT_MS = 5_000;

export const autohand: Dialect = {
  name: "autohand",
  codec: autohandCodec,
  configFormat: async () => (await import("./config-format.ts")).autohandFormat,
  writer: async () => (await import("./write-config.ts")).autohandWriter,
  editing: async () => (await import("./editing.ts")).autohandEditing,
  eventNames: AUTOHAND_EVENTS,
  places,
  recognises,
  decodeEvent,
  encodeReply,
  patienceMs: () => DEFAULT_TIMEOUT_MS,
  lineForm: "json-rpc",
};

async function places({ home }: AgentPlaces): Promise<readonly AgentFile[]> {
  const { join } = await import("node:path");
  return [{ file: join(home, ".autohand", "config.json"), layer: "user" }];
}

/** Whether a payload has fields that only Autohand sends. docker-agent also has a `stop` and a `notification`. */
function recognises(payload: JsonObject): boolean {
  const { hook_event_name: name } = payload;
  if (typeof name !== "string" || canonicalEvent(name) === undefined) return false;
  if (name === "stop") return "tool_calls_count" in payload || "tokens_used" in payload;
  return name !== "notification" || "notification_type" in payload;
}

/** Decodes an event. The command line may use the agent's name or the canonical name of the event. */
function decodeEvent(payload: JsonObject, eventName: string | undefined): DecodedEvent {
  const named = payload["hook_event_name"] ?? undefined;
  if (named !== undefined && typeof named !== "string")
    return { ok: false, message: "hook_event_name must be a string" };
  const wanted = eventName === undefined ? undefined : agentEvent(eventName);
  const agentName = named ?? wanted;
  if (agentName === undefined)
    return { ok: false, message: "the payload has no hook_event_name, and no event was named" };
  const name = canonicalEvent(agentName);
  if (name === undefined) return { ok: false, message: `Autohand has no event "${agentName}"` };
  if (wanted !== undefined && name !== canonicalEvent(wanted))
    return { ok: false, message: `the payload says it is ${agentName}, the command line says ${eventName}` };
  return { ok: true, name, payload: canonicalPayload(name, payload) };
}
