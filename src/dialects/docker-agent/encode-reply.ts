import { contractOf, denialWord } from "../../events/lookup.ts";
import type { JsonValue } from "../../json.ts";
import type { Verdict } from "../../verdict.ts";
import type { AgentReply, DecidedEvent } from "../dialect.ts";
import { agentEvent } from "./spelling.ts";
import { dockerTools } from "./tools.ts";

/**
 * Encodes a verdict as docker-agent's JSON with exit code 0. The JSON contains only fields that the event can use, so
 * that hookbox can be a hook with strict output.
 */
export function encodeReply(verdict: Verdict, event: DecidedEvent): AgentReply {
  const contract = contractOf(verdict.event, "docker-agent");
  const blocks = contract !== undefined && denialWord(contract) !== undefined;
  if (verdict.cancelled && verdict.decision === "none") {
    // A cancelled dispatch permits nothing. It refuses only if the event can block and a failure at this event denies.
    const refuses = blocks && contract.onFailure === "deny";
    return { stdout: "", stderr: "hookbox was cancelled before all rules had answered\n", exitCode: refuses ? 2 : 1 };
  }
  const reply: Record<string, JsonValue> = {};
  const specific: Record<string, JsonValue> = {};
  const refused = verdict.decision === "deny" || verdict.decision === "block" || !verdict.continue;
  const reason = verdict.reason ?? verdict.stopReason ?? "refused by a hook";
  const permits = contract?.verdicts.includes("allow") === true;
  if (refused && blocks) {
    if (permits) {
      specific["permission_decision"] = "deny";
      specific["permission_decision_reason"] = reason;
    } else {
      reply["decision"] = "block";
      reply["reason"] = reason;
    }
  } else if (permits) addPermission(specific, verdict);

  if (verdict.updatedInput !== null)
    specific["updated_input"] = dockerTools.agentInput(event.payload["tool_name"], verdict.updatedInput);
  if (verdict.updatedMessages !== null) specific["updated_messages"] = verdict.updatedMessages;
  if (verdict.updatedOutput !== null) specific["updated_tool_response"] = asText(verdict.updatedOutput);
  if (verdict.summary !== null) specific["summary"] = verdict.summary;
  if (verdict.additionalContext !== null) specific["additional_context"] = verdict.additionalContext;
  const { instructionContext } = verdict.specific;
  if (Array.isArray(instructionContext)) specific["instruction_context"] = instructionContext;
  const metadata = Object.entries(verdict.metadata);
  if (metadata.length > 0)
    specific["metadata"] = Object.fromEntries(metadata.map(([key, value]) => [key, asText(value)]));
  if (verdict.systemMessage !== null) reply["system_message"] = verdict.systemMessage;
  if (Object.keys(specific).length > 0) {
    reply["hook_specific_output"] = { hook_event_name: agentEvent(verdict.event), ...specific };
  }
  const stdout = Object.keys(reply).length === 0 ? "" : `${JSON.stringify(reply)}\n`;
  return { stdout, stderr: "", exitCode: 0 };
}

/** Adds the permission. Omits `ask` at `permission_request`, because the user is asked anyway. */
function addPermission(specific: Record<string, JsonValue>, { decision, event, reason }: Verdict): void {
  const word = decision === "defer" ? "ask" : decision;
  if (word !== "allow" && word !== "ask") return;
  if (word === "ask" && event === "PermissionRequest") return;
  specific["permission_decision"] = word;
  if (reason !== null) specific["permission_decision_reason"] = reason;
}

function asText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
