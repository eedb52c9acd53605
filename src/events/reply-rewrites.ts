import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Reply } from "../outcome.ts";
import type { EventContract } from "./contract.ts";
import { InvalidReply, readText } from "./reply-fields.ts";

/** Reads the rewrites that the event allows. An empty list or an empty summary replaces nothing. */
export function readRewrites(
  details: JsonObject,
  inBehaviour: JsonValue | undefined,
  contract: EventContract,
  ignore: (what: string) => void,
): Pick<Reply, "updatedInput" | "updatedOutput" | "updatedMessages" | "summary"> {
  const reply: { -readonly [Key in keyof Reply]: Reply[Key] } = {};
  const updatedInput = details["updatedInput"] === undefined ? inBehaviour : details["updatedInput"];
  if (updatedInput !== undefined) {
    if (!isJsonObject(updatedInput)) throw new InvalidReply("hookSpecificOutput.updatedInput must be an object");
    if (contract.rewrites === "input") reply.updatedInput = updatedInput;
    else ignore("updatedInput");
  }
  const updatedOutput = details["updatedToolOutput"] ?? details["updatedMCPToolOutput"];
  if (updatedOutput !== undefined) {
    if (contract.rewrites === "output") reply.updatedOutput = updatedOutput;
    else ignore("updatedToolOutput");
  }
  const messages = details["updatedMessages"];
  if (messages !== undefined) {
    if (!Array.isArray(messages)) throw new InvalidReply("hookSpecificOutput.updatedMessages must be a list");
    if (contract.rewrites !== "messages") ignore("updatedMessages");
    else if (messages.length > 0) reply.updatedMessages = messages;
  }
  const summary = readText(details, "summary", "hookSpecificOutput.");
  if (summary !== undefined) {
    if (contract.rewrites !== "summary") ignore("summary");
    else if (summary !== "") reply.summary = summary;
  }
  return reply;
}
