import type { DecodedReply } from "../../../src/codec.ts";
import { BUILTIN_DEFAULTS } from "../../../src/config/layered-settings.ts";
import { agentaoCodec } from "../../../src/dialects/agentao/codec.ts";
import { agentaoFormat } from "../../../src/dialects/agentao/config-format.ts";
import type { ParsedConfig } from "../../../src/dialects/dialect.ts";
import type { JsonValue } from "../../../src/json.ts";
import { open } from "../../config/config-files.ts";
import { makeEvent } from "../../helpers/rules.ts";

export const EVENTS = [
  "UserPromptSubmit",
  "SessionStart",
  "SessionEnd",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "Stop",
  "PreCompact",
] as const;

/** Parses a file; `text` may be a value, for tests that are not about places. */
export async function parse(text: unknown): Promise<ParsedConfig> {
  const document = await open(typeof text === "string" ? text : JSON.stringify(text), "hooks.json");
  return agentaoFormat.parseRules(document, { layer: "project", baseDir: "/base", defaults: BUILTIN_DEFAULTS });
}

interface Ended {
  readonly stdout?: JsonValue;
  readonly stderr?: string;
  readonly exitCode?: number;
}

/** Decodes the reply of a hook process with these outputs; output that is not a string is written as JSON. */
export function decode(
  event: string,
  { stdout = "", stderr = "", exitCode = 0 }: Ended,
  compat: "safer" | "faithful" = "safer",
): DecodedReply {
  const text = typeof stdout === "string" ? stdout : JSON.stringify(stdout);
  const terms = { failsClosed: false, compat };
  return agentaoCodec.decodeReply({ exitCode, stdout: text, stderr }, makeEvent(event, {}, "agentao"), terms);
}

export function replyOf(...args: Parameters<typeof decode>) {
  const decoded = decode(...args);
  if (!decoded.ok) throw new Error(decoded.failure.message);
  return decoded.reply;
}
