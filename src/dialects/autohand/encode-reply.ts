import { contractOf, denialWord } from "../../events/lookup.ts";
import type { JsonValue } from "../../json.ts";
import type { Verdict } from "../../verdict.ts";
import type { AgentReply, DecidedEvent } from "../dialect.ts";
import { agentInput } from "./tools.ts";

/**
 * Encodes a verdict as Autohand's reply. At events with permissions, the reply is JSON with exit code 0. At other
 * events Autohand reads only exit code 2 and the reason on stderr. Messages to the user go to stderr.
 */
export function encodeReply(verdict: Verdict, event: DecidedEvent): AgentReply {
  const contract = contractOf(verdict.event, "autohand");
  const word = contract === undefined ? undefined : denialWord(contract);
  if (verdict.cancelled && verdict.decision === "none") {
    const refuses = contract?.kind === "gate" && contract.onFailure === "deny";
    return { stdout: "", stderr: "hookbox was cancelled before all rules had answered\n", exitCode: refuses ? 2 : 1 };
  }
  const refused = verdict.decision === "deny" || verdict.decision === "block";
  const reason = verdict.reason ?? verdict.stopReason ?? "refused by a hook";
  if (refused && verdict.continue && word === "block") return { stdout: "", stderr: `${reason}\n`, exitCode: 2 };

  const reply: Record<string, JsonValue> = {};
  if (word !== undefined && (refused || !verdict.continue)) {
    reply["decision"] = word;
    reply["reason"] = reason;
  } else if (word === "deny" && verdict.decision !== "none") {
    reply["decision"] = verdict.decision === "allow" ? "allow" : "ask";
    if (verdict.reason !== null) reply["reason"] = verdict.reason;
  }
  if (!verdict.continue) {
    reply["continue"] = false;
    reply["stopReason"] = verdict.stopReason ?? reason;
  }
  if (verdict.updatedInput !== null) {
    reply["updatedInput"] = agentInput(event.payload["tool_name"], verdict.updatedInput);
  }
  if (verdict.additionalContext !== null) reply["additionalContext"] = verdict.additionalContext;
  return {
    stdout: Object.keys(reply).length === 0 ? "" : `${JSON.stringify(reply)}\n`,
    stderr: verdict.systemMessage === null ? "" : `${verdict.systemMessage}\n`,
    exitCode: 0,
  };
}
