import type { DecodedReply, ReplyOptions } from "../../codec.ts";
import type { HookEvent } from "../../event.ts";
import { contractOfEvent } from "../../events/lookup.ts";
import { readReply } from "../../events/reply.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJsonObject } from "../../json.ts";
import type { Failure } from "../../outcome.ts";
import { cleanLine } from "../../text.ts";
import { agentInput, canonicalInput } from "./tools.ts";

/** Reads Autohand's flat reply object. A `null` counts as missing. Values of wrong types make the reply invalid. */

const WORDS: readonly unknown[] = ["allow", "deny", "ask", "block"];
const KINDS: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  decision: (value) => typeof value === "string",
  reason: (value) => typeof value === "string",
  continue: (value) => typeof value === "boolean",
  stopReason: (value) => typeof value === "string",
  updatedInput: isJsonObject,
  additionalContext: (value) => typeof value === "string",
};
/** Fields that a rewrite must not contain: they select the tool, or attack the code that merges the fields. */
const RESERVED = ["type", "tool", "__proto__", "prototype", "constructor"];

export function readOutput(text: string, event: HookEvent, options: ReplyOptions | undefined): DecodedReply {
  const json = parseJsonObject(text);
  if (json === undefined) return invalid("output looks like JSON and is not one well-formed object");
  const said = Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null));
  const wrong = Object.keys(KINDS).find((key) => Object.hasOwn(said, key) && KINDS[key]?.(said[key] ?? null) === false);
  if (wrong !== undefined) return invalid(`${wrong} is of the wrong type`);
  const { decision, reason, continue: goesOn, stopReason, updatedInput, additionalContext } = said;
  if (decision !== undefined && !WORDS.includes(decision)) {
    return invalid(`decision must be one of ${WORDS.join(", ")}, not ${JSON.stringify(decision).slice(0, 80)}`);
  }
  const reserved = isJsonObject(updatedInput) ? RESERVED.find((key) => Object.hasOwn(updatedInput, key)) : undefined;
  if (reserved !== undefined) return invalid(`updatedInput may not have a field "${reserved}"`);
  const specific = defined({
    updatedInput: isJsonObject(updatedInput) ? rewritten(updatedInput, event) : undefined,
    additionalContext,
  });
  const contract = contractOfEvent(event, options?.compat);
  // In Autohand's documentation `ask` is the default: the agent acts as without the hook. In other dialects, `ask`
  // refuses at an event that cannot ask the user.
  const isIgnoredAsk = decision === "ask" && !contract.verdicts.includes("ask");
  const word = isIgnoredAsk ? undefined : decision;
  const canonical = defined({ decision: word, reason, continue: goesOn, stopReason, hookSpecificOutput: specific });
  const unknown = Object.keys(said).filter((key) => !Object.hasOwn(KINDS, key));
  const read = readReply(canonical, { eventName: event.name, contract, strict: false, plainAllow: true });
  if (!read.ok) return read;
  const ignoredAsk = isIgnoredAsk ? [`decision "ask": ${event.name} does not honour it`] : [];
  const ignored = [...ignoredAsk, ...read.ignored, ...unknown.map((key) => `${cleanLine(key, 300)}: unknown field`)];
  return { ok: true, reply: read.reply, ignored };
}

/** Returns the whole new input. Merges with Autohand's field names, as Autohand itself merges a rewrite. */
function rewritten(patch: JsonObject, { payload }: HookEvent): JsonObject {
  const { tool_name: tool, tool_input: input } = payload;
  return canonicalInput(tool, { ...(isJsonObject(input) ? agentInput(tool, input) : {}), ...patch });
}

function defined(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const entries = Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}

function invalid(message: string): DecodedReply {
  const failure: Failure = { kind: "invalid-output", message };
  return { ok: false, failure };
}
