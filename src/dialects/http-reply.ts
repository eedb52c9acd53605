import { type DecodedReply, failedReply, type HttpResult, statusFailure } from "../codec.ts";
import type { HookEvent } from "../event.ts";
import { contractOfEvent } from "../events/lookup.ts";
import { readReply } from "../events/reply.ts";
import { type JsonObject, parseJsonObject } from "../json.ts";
import { readStrictText } from "../strict-json.ts";
import { cleanLine } from "../text.ts";

/**
 * Decodes a web hook's response by Claude Code's contract (2.1.295). A 2xx response without a body is no opinion, a 2xx
 * response with a JSON object is a reply, and all else is a failure. A status alone never refuses, because it reports a
 * failure of the server and says nothing about the event.
 */
export function decodeHttpReply(
  result: HttpResult,
  event: HookEvent,
  { strict, plainAllow }: { readonly strict: boolean; readonly plainAllow?: boolean },
): DecodedReply {
  const failure = statusFailure(result);
  if (failure !== undefined) return failure;
  const text = result.body.trim();
  if (text === "") return { ok: true, reply: {} };
  const json = strict ? readStrictly(text) : readLeniently(text);
  if (typeof json === "string") return failedReply({ kind: "invalid-output", message: json });
  return readReply(json, { eventName: event.name, contract: contractOfEvent(event), strict, plainAllow });
}

function readStrictly(text: string): JsonObject | string {
  const json = readStrictText(text, "the answer");
  return json.ok ? json.value : json.message;
}

function readLeniently(text: string): JsonObject | string {
  const json = parseJsonObject(text);
  if (json !== undefined) return json;
  return `the answer is not a JSON object; it begins with "${cleanLine(text, 40)}"`;
}
