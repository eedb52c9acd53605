import { contractOf } from "../../events/lookup.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import type { Verdict } from "../../verdict.ts";
import { byJson } from "../claude-reply.ts";
import type { AgentReply } from "../dialect.ts";

/** Encodes a verdict as Agentao's reply. Refusals are JSON, because an exit code refuses only at the end of a turn. */
export function encodeReply(verdict: Verdict): AgentReply {
  const { event } = verdict;
  const contract = contractOf(event, "agentao");
  const refused = verdict.decision === "deny" || verdict.decision === "block";
  const reason = verdict.reason ?? verdict.stopReason ?? "refused by a hook";
  if (verdict.cancelled && verdict.decision === "none") {
    const message = "hookbox was cancelled before all rules had answered";
    const isPlainGate = contract?.kind === "gate" && !contract.blockMeansGoOn;
    return isPlainGate ? byJson(refusalAt(event, message)) : { stdout: "", stderr: `${message}\n`, exitCode: 1 };
  }
  const specific: Record<string, JsonValue> = {};
  const reply: Record<string, JsonValue> = {};
  if (event === "Stop") Object.assign(reply, atStop(verdict, reason));
  else if (event === "PreToolUse") {
    if (refused || verdict.decision === "ask") {
      specific["permissionDecision"] = refused ? "deny" : "ask";
      if (refused || verdict.reason !== null) specific["permissionDecisionReason"] = reason;
    }
  } else if (!verdict.continue) {
    reply["preventContinuation"] = true;
    reply["stopReason"] = verdict.stopReason ?? reason;
  } else if (refused) reply["blockingError"] = reason;
  if (verdict.additionalContext !== null) {
    if (event === "UserPromptSubmit") reply["additionalContext"] = verdict.additionalContext;
    else specific["additionalContext"] = verdict.additionalContext;
  }
  if (verdict.systemMessage !== null) reply["systemMessage"] = verdict.systemMessage;
  if (verdict.suppressOutput) reply["suppressOutput"] = true;
  if (Object.keys(specific).length > 0) reply["hookSpecificOutput"] = { hookEventName: event, ...specific };
  return byJson(reply);
}

/** Encodes a verdict at `Stop`, with the fields of Agentao's code and the fields of its documentation. */
function atStop(verdict: Verdict, reason: string): JsonObject {
  const { blockingError, stopReason } = verdict.specific;
  const stop = typeof stopReason === "string" ? { stopReason } : {};
  if (typeof blockingError === "string") return { ...stop, continue: false, blockingError };
  if (!verdict.continue) return { continue: false, stopReason: verdict.stopReason ?? reason };
  if (verdict.decision !== "block") return stop;
  const followUp = verdict.followUp ?? reason;
  return { ...stop, decision: "block", reason: followUp, force_continue: true, follow_up_message: followUp };
}

/**
 * Returns the reply that keeps a gate shut if its event could not be judged. For an unknown event, the reply contains
 * the refusals of all gates.
 */
export function refusalAt(event: string | undefined, reason: string): JsonObject {
  const permission = {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: reason,
    },
  };
  if (event === "PreToolUse") return permission;
  return event === undefined ? { blockingError: reason, ...permission } : { blockingError: reason };
}
