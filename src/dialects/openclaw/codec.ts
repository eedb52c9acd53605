import type { Codec, DecodedReply, HttpResult, ProcessResult } from "../../codec.ts";
import type { HookEvent } from "../../event.ts";
import { contractOfEvent, denialWord } from "../../events/lookup.ts";
import { parseJsonObject } from "../../json.ts";
import type { Failure } from "../../outcome.ts";
import { cleanLine } from "../../text.ts";
import { isScriptMissing } from "../missing-script.ts";
import { readResult } from "./read-result.ts";
import { agentEvent, wireEvent } from "./spelling.ts";
import { openclawTools } from "./tools.ts";

/**
 * The codec of OpenClaw, whose hooks are functions in its own process. For a hook in another process, this codec writes
 * the line `{"hook": …, "event": …, "ctx": …}`. It reads a line with the object that the function would return.
 */
export const openclawCodec: Codec = {
  dialect: "openclaw",
  encodePayload: (event) => JSON.stringify({ hook: agentEvent(event.name), ...wireEvent(event.name, event.payload) }),
  decodeReply,
  decodeHttpReply,
  readDetachment: () => undefined,
  environment: () => ({}),
  toolSpellings,
  inheritedEnvironment: "most",
  startsAt: "agent",
  keepsBackgroundProcesses: true,
};

/** Returns the spellings of a tool. OpenClaw compares tool names in lower case. */
function toolSpellings(name: string): readonly string[] {
  const known = openclawTools.spellings(name);
  const id = name.trim().toLowerCase();
  return known.length > 0 || id === name ? known : [name, id];
}

/** Decodes a reply. Exit code 2 refuses, as in most agents' hooks. Any other code except 0 is a failure. */
function decodeReply(result: ProcessResult, event: HookEvent): DecodedReply {
  const { exitCode, stdout, stderr } = result;
  const contract = contractOfEvent(event);
  const said = cleanLine(stderr.trim().split("\n", 1)[0] ?? "", 300);
  const decision = denialWord(contract);
  if (exitCode === 2 && decision !== undefined && !(contract.blockMeansGoOn && isScriptMissing(result)))
    return { ok: true, reply: { decision, ...(said === "" ? {} : { reason: said }) } };
  if (exitCode !== 0) {
    const message = `ended with exit code ${exitCode}${said === "" ? "" : `: ${said}`}`;
    return failed({ kind: "exit", message, limit: 0, value: exitCode });
  }
  return readText(stdout.trim(), "output", event);
}

function decodeHttpReply({ status, body }: HttpResult, event: HookEvent): DecodedReply {
  if (status >= 200 && status <= 299) return readText(body.trim(), "the answer", event);
  return failed({ kind: "unavailable", message: `answered with status ${status}`, value: status });
}

function readText(text: string, what: string, event: HookEvent): DecodedReply {
  if (text === "") return { ok: true, reply: {} };
  const json = parseJsonObject(text);
  if (json !== undefined) return readResult(json, event);
  return failed({ kind: "invalid-output", message: `${what} is not exactly one well-formed JSON object` });
}

function failed(failure: Failure): DecodedReply {
  return { ok: false, failure };
}
