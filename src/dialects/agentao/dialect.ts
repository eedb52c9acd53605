import type { Dialect } from "../dialect.ts";
import { agentaoCodec } from "./codec.ts";
import { encodeReply, refusalAt } from "./encode-reply.ts";
import { AGENTAO_EVENTS } from "./event-names.ts";
import { decodeEvent, recognises } from "./payload.ts";

export const agentao: Dialect = {
  name: "agentao",
  codec: agentaoCodec,
  configFormat: async () => (await import("./config-format.ts")).agentaoFormat,
  writer: async () => (await import("./write-config.ts")).agentaoWriter,
  editing: async () => (await import("./editing.ts")).agentaoEditing,
  eventNames: AGENTAO_EVENTS,
  recognises,
  decodeEvent,
  encodeReply,
  refusal: refusalAt,
};
