import {
  AGENT_CODEC,
  type Codec,
  type DecodedReply,
  exitFailure,
  type HttpResult,
  type ProcessResult,
  type ReplyOptions,
  statusFailure,
} from "../../codec.ts";
import type { HookEvent } from "../../event.ts";
import { contractOfEvent, denialWord } from "../../events/lookup.ts";
import { readOutput } from "./read-output.ts";
import { ownCommandFor } from "./shipped-hooks.ts";
import { agentEvent, pagePayload } from "./spelling.ts";
import { spellings } from "./tools.ts";
import { hookVariables } from "./variables.ts";

/** The codec of Autohand (August 2026). */
export const autohandCodec: Codec = {
  ...AGENT_CODEC,
  dialect: "autohand",
  encodePayload: (event) => JSON.stringify(pagePayload(event.name, event.payload)),
  decodeReply,
  decodeHttpReply,
  environment: hookVariables,
  toolSpellings: spellings,
  ownCommandFor,
};

/** Decodes a reply. Only exit code 0 makes JSON count. Other output is text for the user. */
function decodeReply(result: ProcessResult, event: HookEvent, options?: ReplyOptions): DecodedReply {
  if (result.exitCode === 2) return refusal(result, event, options);
  if (result.exitCode !== 0) return exitFailure(result);
  const text = result.stdout.trim();
  return text.startsWith("{") ? readOutput(text, event, options) : { ok: true, reply: {} };
}

function refusal({ stderr }: ProcessResult, event: HookEvent, options: ReplyOptions | undefined): DecodedReply {
  const said = stderr.trim();
  const decision = denialWord(contractOfEvent(event, options?.compat));
  if (decision !== undefined)
    return { ok: true, reply: { decision, reason: said === "" ? "blocked by a hook" : said } };
  const message = `a hook ended with exit code 2, but ${agentEvent(event.name)} cannot be blocked`;
  return { ok: true, reply: { systemMessage: said === "" ? message : `${message}: ${said}` } };
}

/** Decodes the response of a web hook like a command that exited with 0, because Autohand has no web hooks. */
function decodeHttpReply(result: HttpResult, event: HookEvent, options?: ReplyOptions): DecodedReply {
  const failure = statusFailure(result);
  if (failure !== undefined) return failure;
  const text = result.body.trim();
  return text === "" ? { ok: true, reply: {} } : readOutput(text, event, options);
}
