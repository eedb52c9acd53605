import type { JsonObject } from "../../json.ts";
import type { Dialect } from "../dialect.ts";
import { dockerAgentCodec } from "./codec.ts";
import { decodeEvent } from "./decode-event.ts";
import { encodeReply } from "./encode-reply.ts";
import { HOOK_FLAGS } from "./hook-flags.ts";
import { isDropInFolder, places } from "./places.ts";
import { CANONICAL_EVENT, canonicalEvent } from "./spelling.ts";

export const dockerAgent: Dialect = {
  name: "docker-agent",
  codec: dockerAgentCodec,
  configFormat: async () => (await import("./config-format.ts")).dockerAgentFormat,
  writer: async () => (await import("./write-config.ts")).dockerAgentWriter,
  editing: async () => (await import("./editing.ts")).dockerAgentEditing,
  eventNames: CANONICAL_EVENT,
  places,
  isDropInFolder,
  hasAgents: true,
  hookFlags: HOOK_FLAGS,
  recognises,
  decodeEvent,
  encodeReply,
};

/** Whether a payload comes from docker-agent. `stop` and `notification` are also event names of another agent. */
function recognises(payload: JsonObject): boolean {
  const { hook_event_name: name } = payload;
  if (typeof name !== "string" || canonicalEvent(name) === undefined) return false;
  if (name === "stop") return "stop_response" in payload || "agent_name" in payload;
  return name !== "notification" || "notification_level" in payload;
}
