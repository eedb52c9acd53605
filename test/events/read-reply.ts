import { contractOf } from "../../src/events/lookup.ts";
import { type ReadReply, readReply } from "../../src/events/reply.ts";
import type { EventName } from "../../src/events/table.ts";
import type { JsonObject } from "../../src/json.ts";
import type { Reply } from "../../src/outcome.ts";

export const MODES = ["strict", "lenient"] as const;
type ReadingMode = (typeof MODES)[number];

export function read(eventName: EventName, json: unknown, mode: ReadingMode): ReadReply {
  const contract = contractOf(eventName, "claude-code")!;
  return readReply(json as JsonObject, { eventName, contract, strict: mode === "strict" });
}

/** Returns a well-formed `hookSpecificOutput` for the event, with the given fields. */
export function specific(eventName: EventName, fields: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName: eventName, ...fields } };
}

/** Returns the reply, which must be read in both modes and in the same way. */
export function replyOf(eventName: EventName, json: unknown): Reply {
  const [strict, lenient] = MODES.map((mode) => read(eventName, json, mode));
  if (!strict!.ok) throw new Error(strict!.failure.message);
  if (!lenient!.ok || JSON.stringify(lenient) !== JSON.stringify(strict)) throw new Error("the two modes differ");
  return strict!.reply;
}

export function ignoredOf(eventName: EventName, json: unknown, mode: ReadingMode = "lenient"): readonly string[] {
  const result = read(eventName, json, mode);
  if (!result.ok) throw new Error(result.failure.message);
  return result.ignored;
}

/** Returns the message of a reading that must fail. */
export function refusal(eventName: EventName, json: unknown, mode: ReadingMode): string {
  const result = read(eventName, json, mode);
  if (result.ok) throw new Error(`expected an invalid reply, got ${JSON.stringify(result.reply)}`);
  if (result.failure.kind !== "invalid-output") throw new Error(`unexpected kind ${result.failure.kind}`);
  return result.failure.message;
}
