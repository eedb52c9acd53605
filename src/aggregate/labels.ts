import type { JsonObject } from "../event.ts";
import type { Reply } from "../outcome.ts";
import type { Rule } from "../rule.ts";
import { cleanLine, cleanText } from "../text.ts";

/** Whoever reads a reason must see which rule speaks. Other text of a guard is marked as a guest's words too. */
export function labelled(reply: Reply, rule: Rule): Reply {
  const name = cleanLine(rule.name);
  const guest = rule.handler.type === "wasm";
  // A line of a guest's must not pass for another rule's: only labels stand at the start of one.
  const label = (text: string): string =>
    `${name}: ${guest ? cleanText(text).replaceAll("\n", "\n  ") : cleanText(text)}`;
  const { reason, systemMessage, additionalContext, stopReason, summary, followUp, specific, ...rest } = reply;
  return {
    ...rest,
    ...(reply.decision === undefined ? {} : { reason: label(reason || `says ${reply.decision}`) }),
    ...(reply.continue === false ? { stopReason: label(stopReason || "stops the agent") } : {}),
    ...(systemMessage === undefined ? {} : { systemMessage: guest ? label(systemMessage) : cleanText(systemMessage) }),
    ...(additionalContext === undefined
      ? {}
      : { additionalContext: additionalContext.map((text) => (guest ? label(text) : cleanText(text))) }),
    ...(summary === undefined ? {} : { summary: cleanText(summary) }),
    ...(followUp === undefined ? {} : { followUp: cleanText(followUp) }),
    ...(specific === undefined ? {} : { specific: cleanFields(specific) }),
  };
}

/** The texts among an event's own fields; what is no text is data, and passed on as it is. */
function cleanFields(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, typeof value === "string" ? cleanText(value) : value]),
  );
}
