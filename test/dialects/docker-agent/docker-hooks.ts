import type { DecodedReply } from "../../../src/codec.ts";
import { readDocument } from "../../../src/config/document.ts";
import { BUILTIN_DEFAULTS } from "../../../src/config/layered-settings.ts";
import type { ParseContext, ParsedConfig } from "../../../src/dialects/dialect.ts";
import { dockerAgentCodec } from "../../../src/dialects/docker-agent/codec.ts";
import { dockerAgentFormat } from "../../../src/dialects/docker-agent/config-format.ts";
import { canonicalEvent } from "../../../src/dialects/docker-agent/spelling.ts";
import type { JsonObject } from "../../../src/json.ts";
import { makeEvent } from "../../helpers/rules.ts";

interface Ended {
  readonly stdout?: string | JsonObject;
  readonly stderr?: string;
  readonly exitCode?: number;
}

/** Decodes the reply of a hook process with these outputs. `event` is in the agent's spelling. */
export function decode(
  event: string,
  { stdout = "", stderr = "", exitCode = 0 }: Ended,
  { strict = false, preempts = false } = {},
): DecodedReply {
  const text = typeof stdout === "string" ? stdout : JSON.stringify(stdout);
  const name = canonicalEvent(event);
  if (name === undefined) throw new Error(`no event ${event}`);
  const lane = preempts ? { lane: "preempt" as const } : {};
  return dockerAgentCodec.decodeReply(
    { exitCode, stdout: text, stderr },
    { ...makeEvent(name, {}, "docker-agent"), ...lane },
    { failsClosed: false, strict },
  );
}

export const specific = (fields: JsonObject): JsonObject => ({ hook_specific_output: fields });

export async function parse(text: string, context: Partial<ParseContext> = {}): Promise<ParsedConfig> {
  const read = await readDocument(text, "agent.yaml");
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return dockerAgentFormat.parseRules(read.document, {
    layer: "project",
    baseDir: "/base",
    defaults: BUILTIN_DEFAULTS,
    ...context,
  });
}
