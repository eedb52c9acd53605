import type { Codec } from "../../codec.ts";
import { canonicalPayload } from "../canonical-hook.ts";
import { claudeEnvironment, pluginOptions } from "../claude-environment.ts";
import { readDetachment } from "../detachment.ts";
import { decodeHttpReply } from "../http-reply.ts";
import { decodeProcessReply } from "../process-reply.ts";

export const claudeCodeCodec: Codec = {
  dialect: "claude-code",
  encodePayload: canonicalPayload,
  decodeReply: (result, event, terms) =>
    decodeProcessReply(result, event, {
      strict: false,
      looksLikeJson: (trimmed) => trimmed.startsWith("{") && trimmed.endsWith("}"),
      jsonAtOtherExit: terms?.failsClosed === true ? "refuses" : "decides",
      // Not honoured since 2.1.240: the user is asked instead, so nothing is let through by it.
      exit2Ignored: ["PermissionRequest"],
    }),
  decodeHttpReply: (result, event) => decodeHttpReply(result, event, { strict: false }),
  readDetachment,
  environment: claudeEnvironment,
  placeholders: pluginOptions,
  inheritedEnvironment: "most",
  startsAt: "agent",
  keepsBackgroundProcesses: true,
};
