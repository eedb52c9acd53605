import { AGENT_CODEC, type AgentContract, type Codec } from "../../codec.ts";
import { parseJsonObject } from "../../json.ts";
import { canonicalPayload } from "../canonical-hook.ts";
import { claudeEnvironment, pluginOptions } from "../claude-environment.ts";
import { readDetachment } from "../detachment.ts";
import { decodeHttpReply } from "../http-reply.ts";
import { decodeProcessReply } from "../process-reply.ts";

/**
 * Whether output counts as JSON. For 2.1.240, output that starts with "{" and cannot be parsed is text. For 2.1.295,
 * output that starts with "{", ends with "}" and cannot be parsed is a failure.
 */
const LOOKS_LIKE_JSON: Readonly<Record<AgentContract, (trimmed: string) => boolean>> = {
  "2.1.240": (trimmed) => trimmed.startsWith("{") && parseJsonObject(trimmed) !== undefined,
  "2.1.295": (trimmed) => trimmed.startsWith("{") && trimmed.endsWith("}"),
};

export const claudeCodeCodec: Codec = {
  ...AGENT_CODEC,
  dialect: "claude-code",
  encodePayload: canonicalPayload,
  decodeReply: (result, event, options) =>
    decodeProcessReply(result, event, {
      strict: false,
      looksLikeJson: LOOKS_LIKE_JSON[options?.contract ?? "2.1.295"],
      jsonAtOtherExit: options?.failsClosed === true ? "refuses" : "decides",
      // Claude Code ignores exit code 2 here since 2.1.240. The user is asked instead, so no action is let through.
      exit2Ignored: ["PermissionRequest"],
    }),
  decodeHttpReply: (result, event) => decodeHttpReply(result, event, { strict: false }),
  readDetachment,
  environment: claudeEnvironment,
  placeholders: pluginOptions,
};
