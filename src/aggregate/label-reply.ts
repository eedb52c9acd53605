import type { JsonObject } from "../json.ts";
import type { Reply } from "../outcome.ts";
import type { Rule } from "../rule.ts";
import { cleanLine, cleanText } from "../text.ts";

/** The limit for built-in hooks, which add whole instruction files and limit the length of these files themselves. */
const MAX_OWN_CONTEXT = 100_000;

/** Puts the rule's name before the reply's reasons, so that readers see which rule speaks. */
export function labelReply(reply: Reply, rule: Rule): Reply {
  const name = cleanLine(rule.name);
  const guest = rule.handler.type === "wasm";
  // Indents further lines of a guard's text, so that no line can look like the label of another rule.
  const label = (text: string): string =>
    `${name}: ${guest ? cleanText(text).replaceAll("\n", "\n  ") : cleanText(text)}`;
  const marked = guest ? label : (text: string): string => cleanText(text);
  const { decision, reason, systemMessage, additionalContext, stopReason, summary, followUp, specific } = reply;
  const said: { -readonly [Key in keyof Reply]: Reply[Key] } = { ...reply };
  // A hook that blocks and stops may give the reason only in `stopReason`.
  const why = reason || (reply.continue === false && stopReason);
  if (decision !== undefined) said.reason = label(why || `says ${decision}`);
  else if (reason !== undefined) delete said.reason;
  if (reply.continue === false) said.stopReason = label(stopReason || "stops the agent");
  else if (stopReason !== undefined) delete said.stopReason;
  if (systemMessage !== undefined) said.systemMessage = marked(systemMessage);
  const added = rule.handler.type === "builtin" ? (text: string) => cleanText(text, MAX_OWN_CONTEXT) : marked;
  if (additionalContext !== undefined) said.additionalContext = additionalContext.map((text) => added(text));
  if (summary !== undefined) said.summary = cleanText(summary);
  if (followUp !== undefined) said.followUp = cleanText(followUp);
  if (specific !== undefined) said.specific = cleanFields(specific);
  return said;
}

/** Cleans the texts among an event's own fields. Values of other types do not change. */
function cleanFields(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, typeof value === "string" ? cleanText(value) : value]),
  );
}
