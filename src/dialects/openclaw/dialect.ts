import { decodeCanonicalEvent } from "../canonical-hook.ts";
import { encodeReply } from "../claude-reply.ts";
import type { Dialect } from "../dialect.ts";
import { openclawCodec } from "./codec.ts";
import { OPENCLAW_EVENTS } from "./event-names.ts";

export const openclaw: Dialect = {
  name: "openclaw",
  codec: openclawCodec,
  configFormat: async () => (await import("./config-format.ts")).openclawFormat,
  eventNames: OPENCLAW_EVENTS,
  recognises: () => false,
  decodeEvent: decodeCanonicalEvent,
  encodeReply,
};
