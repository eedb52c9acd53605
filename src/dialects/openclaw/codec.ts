import type { Codec } from "../../codec.ts";
import { canonicalPayload } from "../canonical-hook.ts";
import { decodeHttpReply } from "../http-reply.ts";
import { decodeProcessReply } from "../process-reply.ts";

export const openclawCodec: Codec = {
  dialect: "openclaw",
  encodePayload: canonicalPayload,
  decodeReply: (result, event) =>
    decodeProcessReply(result, event, {
      strict: false,
      looksLikeJson: (trimmed) => trimmed.startsWith("{"),
      jsonAtOtherExit: "refuses",
      exit2Ignored: [],
    }),
  decodeHttpReply: (result, event) => decodeHttpReply(result, event, { strict: false }),
  readDetachment: () => undefined,
  environment: () => ({}),
  inheritedEnvironment: "most",
  startsAt: "agent",
  keepsBackgroundProcesses: true,
};
