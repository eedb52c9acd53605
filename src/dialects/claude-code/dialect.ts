import type { JsonObject } from "../../event.ts";
import { isEventOf } from "../../events/lookup.ts";
import { canonicalEvents, decodeCanonicalEvent } from "../canonical-hook.ts";
import { encodeReply } from "../claude-reply.ts";
import type { Dialect } from "../dialect.ts";
import { claudeCodeCodec } from "./codec.ts";
import { SESSION_END_VARIABLE } from "./session-end.ts";

export const claudeCode: Dialect = {
  name: "claude-code",
  codec: claudeCodeCodec,
  configFormat: async () => (await import("./config-format.ts")).claudeCodeFormat,
  configVariables: [SESSION_END_VARIABLE],
  places: async (where) => (await import("./places.ts")).claudeCodePlaces(where),
  eventNames: canonicalEvents("claude-code"),
  recognises,
  decodeEvent: decodeCanonicalEvent,
  encodeReply,
};

/** Two events of another agent have the same form and name, and say what this one never says. */
function recognises(payload: JsonObject): boolean {
  const { hook_event_name: name } = payload;
  if (typeof name !== "string" || !isEventOf(name, "claude-code")) return false;
  return !("turn_end_reason" in payload) && !("compaction_type" in payload);
}
