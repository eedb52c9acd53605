import { decodeCanonicalEvent } from "../canonical-hook.ts";
import { encodeReply } from "../claude-reply.ts";
import type { Dialect } from "../dialect.ts";
import { autohandCodec } from "./codec.ts";
import { AUTOHAND_EVENTS } from "./event-names.ts";

export const autohand: Dialect = {
  name: "autohand",
  codec: autohandCodec,
  configFormat: async () => (await import("./config-format.ts")).autohandFormat,
  eventNames: AUTOHAND_EVENTS,
  recognises: () => false,
  decodeEvent: decodeCanonicalEvent,
  encodeReply,
};
