import type { Codec, DecodedReply, HttpResult, ProcessResult, ReplyOptions } from "../../codec.ts";
import type { HookEvent } from "../../event.ts";
import { contractOfEvent, denialWord } from "../../events/lookup.ts";
import { cleanLine } from "../../text.ts";
import { readOutput } from "./read-output.ts";
import { ownCommandFor } from "./shipped-hooks.ts";
import { agentEvent, pagePayload } from "./spelling.ts";
import { spellings } from "./tools.ts";
import { hookVariables } from "./variables.ts";

/** The codec of Autohand (August 2026). */
export const autohandCodec: Codec = {
  dialect: "autohand",
  encodePayload: (event) => JSON.stringify(pagePayload(event.name, event.payload)),
  decodeReply,
  decodeHttpReply,
  readDetachment: () => undefined,
  environment: hookVariables,
  toolSpellings: spellings,
  ownCommandFor,
  inheritedEnvironment: "most",
  startsAt: "agent",
  keepsBackgroundProcesses: true,
};

/** Decodes a reply. Only exit code 0 makes JSON count. Other output is text for the user. */
function decodeReply(result: ProcessResult, event: HookEvent, options?: ReplyOptions): DecodedReply {
  if (result.exitCode === 2) return refusal(result, event, options);
  if (result.exitCode !== 0) {
    const said = cleanLine(result.stderr.trim().split("\n", 1)[0] ?? "", 300);
    const message = `ended with exit code ${result.exitCode}${said === "" ? "" : `: ${said}`}`;
    return { ok: false, failure: { kind: "exit", message, limit: 0, value: result.exitCode } };
  }
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
function decodeHttpReply({ status, body }: HttpResult, event: HookEvent, options?: ReplyOptions): DecodedReply {
  if (status < 200 || status > 299) {
    return { ok: false, failure: { kind: "unavailable", message: `answered with status ${status}`, value: status } };
  }
  const text = body.trim();
  return text === "" ? { ok: true, reply: {} } : readOutput(text, event, options);
}
