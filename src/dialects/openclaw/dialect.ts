import { isJsonObject, type JsonObject } from "../../json.ts";
import type { DecodedEvent, Dialect } from "../dialect.ts";
import { openclawCodec } from "./codec.ts";
import { encodeReply } from "./encode-reply.ts";
import { OPENCLAW_EVENTS, OTHER_HOOKS } from "./event-names.ts";
import { refusalAt } from "./result-object.ts";
import { agentEvent, canonicalEvent, canonicalPayload } from "./spelling.ts";

/** The gateway's default timeout for a handler at a gate, in milliseconds. Handlers at other hooks get more time. */
const GATE_TIMEOUT_MS = 15_000;

export const openclaw: Dialect = {
  name: "openclaw",
  codec: openclawCodec,
  configFormat: async () => (await import("./config-format.ts")).openclawFormat,
  editing: async () => ({
    reason: "OpenClaw's hooks are functions that plugins register in code; no file lists them",
    hint: "change the plugin, or switch the plugin off where OpenClaw is configured",
  }),
  eventNames: OPENCLAW_EVENTS,
  recognises: ({ hook, event }) =>
    typeof hook === "string" && canonicalEvent(hook) !== undefined && isJsonObject(event),
  decodeEvent,
  encodeReply,
  refusal: refusalAt,
  patienceMs: () => GATE_TIMEOUT_MS,
  lineForm: "result",
};

/**
 * Decodes `{"hook": "before_tool_call", "event": {…}, "ctx": {…}}`. The command line may use either name of the event.
 */
function decodeEvent(payload: JsonObject, eventName: string | undefined): DecodedEvent {
  const { hook: named, event, ctx } = payload;
  if (named !== undefined && typeof named !== "string") return wrong("hook must be a string");
  const wanted = eventName === undefined ? undefined : agentEvent(eventName);
  const hook = named ?? wanted;
  if (hook === undefined) return wrong("the line has no hook, and no event was named");
  if (wanted !== undefined && hook !== wanted)
    return wrong(`the line says it is ${hook}, the command line says ${eventName}`);
  const name = canonicalEvent(hook);
  if (name === undefined) return wrong(whyUnknown(hook));
  if (!isJsonObject(event)) return wrong("event must be an object");
  if (ctx !== undefined && !isJsonObject(ctx)) return wrong("ctx must be an object");
  if (event["toolName"] !== undefined && typeof event["toolName"] !== "string")
    return wrong("event.toolName must be a string");
  return { ok: true, name, payload: canonicalPayload(name, { event, ...(ctx === undefined ? {} : { ctx }) }) };
}

function whyUnknown(hook: string): string {
  return OTHER_HOOKS.includes(hook)
    ? `hookbox has no event for OpenClaw's hook "${hook}", so no rule can be asked there`
    : `OpenClaw has no hook "${hook}"`;
}

function wrong(message: string): DecodedEvent {
  return { ok: false, message };
}
