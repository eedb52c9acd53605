import type { Codec } from "../../codec.ts";
import { canonicalPayload, projectEnvironment } from "../canonical-hook.ts";
import { decodeProcessReply } from "../process-reply.ts";

/** Our own command hooks: Claude Code's contract, read strictly and tidied up after. */
export const hookboxCodec: Codec = {
  dialect: "hookbox",
  encodePayload: canonicalPayload,
  decodeReply: (result, event) =>
    decodeProcessReply(result, event, {
      strict: true,
      // A reply that was cut off must not pass for text.
      looksLikeJson: (trimmed) => trimmed.startsWith("{"),
      jsonAtOtherExit: "refuses",
      exit2Ignored: [],
    }),
  environment: projectEnvironment,
  keepsBackgroundProcesses: false,
};
