import type { Codec } from "../../codec.ts";
import { parseJsonObject } from "../../event.ts";
import type { AgentContract } from "../../rule.ts";
import { canonicalPayload } from "../canonical-hook.ts";
import { claudeEnvironment, pluginOptions } from "../claude-environment.ts";
import { readDetachment } from "../detachment.ts";
import { decodeHttpReply } from "../http-reply.ts";
import { decodeProcessReply } from "../process-reply.ts";

/** Until some time before 2.1.295 what begins like JSON and is none was text; since then, what ends like it as well is a failure. */
const LOOKS_LIKE_JSON: Readonly<Record<AgentContract, (trimmed: string) => boolean>> = {
  "2.1.240": (trimmed) => trimmed.startsWith("{") && parseJsonObject(trimmed) !== undefined,
  "2.1.295": (trimmed) => trimmed.startsWith("{") && trimmed.endsWith("}"),
};

export const claudeCodeCodec: Codec = {
  dialect: "claude-code",
  encodePayload: canonicalPayload,
  decodeReply: (result, event, terms) =>
    decodeProcessReply(result, event, {
      strict: false,
      looksLikeJson: LOOKS_LIKE_JSON[terms?.contract ?? "2.1.295"],
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
