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
  recognises: ({ hook_event_name: name }) => typeof name === "string" && isEventOf(name, "claude-code"),
  decodeEvent: decodeCanonicalEvent,
  encodeReply,
};
