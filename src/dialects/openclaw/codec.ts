import {
  AGENT_CODEC,
  type Codec,
  type DecodedReply,
  exitFailure,
  failedReply,
  type HttpResult,
  type ProcessResult,
  statusFailure,
} from "../../codec.ts";
import type { HookEvent } from "../../event.ts";
import { contractOfEvent, denialWord } from "../../events/lookup.ts";
import { parseJsonObject } from "../../json.ts";
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
  ...AGENT_CODEC,
  dialect: "openclaw",
  encodePayload: (event) => JSON.stringify({ hook: agentEvent(event.name), ...wireEvent(event.name, event.payload) }),
  decodeReply,
  decodeHttpReply,
  toolSpellings,
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
  if (exitCode !== 0) return exitFailure(result);
  return readText(stdout.trim(), "output", event);
}

function decodeHttpReply(result: HttpResult, event: HookEvent): DecodedReply {
  return statusFailure(result) ?? readText(result.body.trim(), "the answer", event);
}

function readText(text: string, what: string, event: HookEvent): DecodedReply {
  if (text === "") return { ok: true, reply: {} };
  const json = parseJsonObject(text);
  if (json !== undefined) return readResult(json, event);
  return failedReply({ kind: "invalid-output", message: `${what} is not exactly one well-formed JSON object` });
}
