import type { Codec } from "../../codec.ts";
import { canonicalPayload } from "../canonical-hook.ts";
import { claudeEnvironment } from "../claude-environment.ts";
import { readDetachment } from "../detachment.ts";
import { decodeHttpReply } from "../http-reply.ts";
import { decodeProcessReply } from "../process-reply.ts";

const REPLY_FIELD = /"(?:decision|permissionDecision|hookSpecificOutput|continue)"\s*:/;

/**
 * hookbox's own command hooks: Claude Code's contract, read strictly. Processes that a hook leaves running are ended.
 */
export const hookboxCodec: Codec = {
  dialect: "hookbox",
  encodePayload: canonicalPayload,
  decodeReply: (result, event) =>
    decodeProcessReply(result, event, {
      strict: true,
      // A reply that was cut off, or that follows other output, must not be read as text.
      looksLikeJson: (trimmed) => trimmed.startsWith("{") || REPLY_FIELD.test(trimmed),
      jsonAtOtherExit: "refuses",
      exit2Ignored: [],
    }),
  decodeHttpReply: (result, event) => decodeHttpReply(result, event, { strict: true }),
  readDetachment,
  environment: (event) => claudeEnvironment(event),
  inheritedEnvironment: "listed",
  startsAt: "file",
  keepsBackgroundProcesses: false,
};
