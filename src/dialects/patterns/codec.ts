import { AGENT_CODEC, type Codec } from "../../codec.ts";
import { canonicalPayload } from "../canonical-hook.ts";
import { readDetachment } from "../detachment.ts";
import { eventVariables } from "../event-variables.ts";
import { decodeHttpReply } from "../http-reply.ts";
import { decodeProcessReply } from "../process-reply.ts";

/**
 * The codec of the generic pattern: Claude Code's replies, a plain "allow", and the event in the environment variables
 * of a command.
 */
export const patternsCodec: Codec = {
  ...AGENT_CODEC,
  dialect: "patterns",
  encodePayload: canonicalPayload,
  decodeReply: (result, event, options) =>
    decodeProcessReply(result, event, {
      strict: options?.strict === true,
      plainAllow: true,
      // A reply that was cut off must not be read as text.
      looksLikeJson: (trimmed) => trimmed.startsWith("{"),
      jsonAtOtherExit: "refuses",
      exit2Ignored: [],
    }),
  decodeHttpReply: (result, event, options) =>
    decodeHttpReply(result, event, { strict: options?.strict === true, plainAllow: true }),
  readDetachment,
  environment: eventVariables,
};
