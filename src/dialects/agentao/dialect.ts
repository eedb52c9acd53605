import { decodeCanonicalEvent } from "../canonical-hook.ts";
import { encodeReply } from "../claude-reply.ts";
import type { Dialect } from "../dialect.ts";
import { agentaoCodec } from "./codec.ts";
import { AGENTAO_EVENTS } from "./event-names.ts";

export const agentao: Dialect = {
  name: "agentao",
  codec: agentaoCodec,
  configFormat: async () => (await import("./config-format.ts")).agentaoFormat,
  eventNames: AGENTAO_EVENTS,
  recognises: () => false,
  decodeEvent: decodeCanonicalEvent,
  encodeReply,
};
