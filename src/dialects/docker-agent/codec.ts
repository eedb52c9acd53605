import {
  AGENT_CODEC,
  type Codec,
  type DecodedReply,
  exitFailure,
  failedReply,
  type HttpResult,
  type ProcessResult,
  type ReplyOptions,
  statusFailure,
} from "../../codec.ts";
import type { HookEvent } from "../../event.ts";
import { contractOfEvent, denialWord } from "../../events/lookup.ts";
import { parseJsonObject } from "../../json.ts";
import { hookNamed, readOutput, textsIn } from "./read-output.ts";
import { agentEvent, agentPayload } from "./spelling.ts";
import { dockerTools } from "./tools.ts";

/** The codec of docker-agent (September 2026). */
export const dockerAgentCodec: Codec = {
  ...AGENT_CODEC,
  dialect: "docker-agent",
  encodePayload: (event) => JSON.stringify(agentPayload(event.name, event.payload)),
  decodeReply,
  decodeHttpReply,
  expandVariable,
  toolSpellings: dockerTools.spellings,
};

/** Replaces only `${env.NAME}`, because any other dollar sign may belong to the value. */
function expandVariable(value: string, inherited: Readonly<Record<string, string | undefined>>): string {
  return value.replace(/\$\{env\.([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => inherited[name] ?? "");
}

function decodeReply(result: ProcessResult, event: HookEvent, options?: ReplyOptions): DecodedReply {
  if (result.exitCode === 2) return refusal(result, event, options);
  if (result.exitCode !== 0) return exitFailure(result);
  const text = result.stdout.trim();
  if (text === "") return { ok: true, reply: {} };
  if (text.startsWith("{")) return readText(text, "output", event, options);
  if (options?.strict === true) {
    const message = "output is text, but strict_output accepts only one JSON object";
    return failedReply({ kind: "invalid-output", message });
  }
  return {
    ok: true,
    reply: contractOfEvent(event, options?.compat).plainTextIsContext ? { additionalContext: [text] } : {},
  };
}

/**
 * Returns the refusal of exit code 2, which refuses whatever standard output contains. Only texts are read from
 * standard output, because the scripts in docker-agent's documentation write their reason there.
 */
function refusal({ stdout, stderr }: ProcessResult, event: HookEvent, options?: ReplyOptions): DecodedReply {
  const beside = textsIn(parseJsonObject(stdout.trim()) ?? {});
  const said = together(stderr.trim(), ...beside.reasons);
  const decision = denialWord(contractOfEvent(event));
  if (decision === undefined) {
    const message = `${hookNamed(options)} ended with exit code 2, but ${agentEvent(event.name)} cannot block`;
    const notice = said === "" ? message : `${message}: ${said}`;
    return { ok: true, reply: { systemMessage: together(notice, beside.systemMessage) } };
  }
  const reason = said === "" ? {} : { reason: said };
  const message = beside.systemMessage === "" ? {} : { systemMessage: beside.systemMessage };
  return { ok: true, reply: { decision, ...reason, ...message } };
}

function together(...texts: readonly string[]): string {
  return [...new Set(texts)].filter((text) => text !== "").join("\n");
}

/** Decodes the response of a web hook like a command that exited with 0, because docker-agent has no web hooks. */
function decodeHttpReply(result: HttpResult, event: HookEvent, options?: ReplyOptions): DecodedReply {
  const failure = statusFailure(result);
  if (failure !== undefined) return failure;
  const text = result.body.trim();
  return text === "" ? { ok: true, reply: {} } : readText(text, "the answer", event, options);
}

function readText(text: string, what: string, event: HookEvent, options: ReplyOptions | undefined): DecodedReply {
  const json = parseJsonObject(text);
  if (json === undefined) {
    return failedReply({ kind: "invalid-output", message: `${what} is not exactly one well-formed JSON object` });
  }
  return readOutput(json, {
    eventName: event.name,
    toolName: event.payload["tool_name"],
    contract: contractOfEvent(event, options?.compat),
    strict: options?.strict === true,
    hook: hookNamed(options),
  });
}
