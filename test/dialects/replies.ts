import type { DecodedReply } from "../../src/codec.ts";
import { claudeCodeCodec } from "../../src/dialects/claude-code/codec.ts";
import { hookboxCodec } from "../../src/dialects/hookbox/codec.ts";
import type { JsonObject } from "../../src/json.ts";
import type { Failure, Reply } from "../../src/outcome.ts";
import type { Verdict } from "../../src/verdict.ts";
import { makeEvent } from "../helpers/rules.ts";

export const CODECS = { "claude-code": claudeCodeCodec, hookbox: hookboxCodec } as const;
export type CodecName = keyof typeof CODECS;

export interface Ended {
  readonly stdout?: string | JsonObject;
  readonly stderr?: string;
  readonly exitCode?: number;
}

/** Decodes the reply of a hook process of this dialect with these outputs. */
export function decode(
  codec: CodecName,
  { stdout = "", stderr = "", exitCode = 0 }: Ended,
  event = "PreToolUse",
): DecodedReply {
  const text = typeof stdout === "string" ? stdout : JSON.stringify(stdout);
  return CODECS[codec].decodeReply({ exitCode, stdout: text, stderr }, makeEvent(event));
}

export function replyOf(codec: CodecName, ended: Ended, event?: string): Reply {
  const decoded = decode(codec, ended, event);
  if (!decoded.ok) throw new Error(`failed: ${JSON.stringify(decoded.failure)}`);
  return decoded.reply;
}

export function failureOf(codec: CodecName, ended: Ended, event?: string): Failure {
  const decoded = decode(codec, ended, event);
  if (decoded.ok) throw new Error(`replied: ${JSON.stringify(decoded.reply)}`);
  return decoded.failure;
}

export const says = (event: string, fields: JsonObject): JsonObject => ({
  hookSpecificOutput: { hookEventName: event, ...fields },
});

/** Returns a verdict without an opinion, except for the given parts. */
export function makeVerdict(event: string, parts: Partial<Verdict> = {}): Verdict {
  return {
    event,
    decision: "none",
    continue: true,
    stopReason: null,
    reason: null,
    additionalContext: null,
    systemMessage: null,
    suppressOutput: false,
    updatedInput: null,
    updatedOutput: null,
    updatedMessages: null,
    summary: null,
    followUp: null,
    metadata: {},
    approval: null,
    specific: {},
    cancelled: false,
    rules: [],
    problems: [],
    ...parts,
  };
}
