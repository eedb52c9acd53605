import type { JsonObject, JsonValue } from "../../event.ts";
import { contractOf } from "../../events/lookup.ts";
import type { Verdict } from "../../verdict.ts";
import type { AgentReply } from "../dialect.ts";

/**
 * A verdict in Agentao's words. Refusals are JSON: an exit code stops nothing there but the end of a turn.
 */
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

/** In the words of the agent's code and in those of its page. */
function atStop(verdict: Verdict, reason: string): JsonObject {
  const { blockingError, stopReason } = verdict.specific;
  const told = typeof stopReason === "string" ? { stopReason } : {};
  if (typeof blockingError === "string") return { ...told, continue: false, blockingError };
  if (!verdict.continue) return { continue: false, stopReason: verdict.stopReason ?? reason };
  if (verdict.decision !== "block") return told;
  const followUp = verdict.followUp ?? reason;
  return { ...told, decision: "block", reason: followUp, force_continue: true, follow_up_message: followUp };
}

/** What keeps a gate shut whose event could not be judged. One that cannot be told is refused in all words. */
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

function byJson(reply: JsonObject): AgentReply {
  return { stdout: Object.keys(reply).length === 0 ? "" : `${JSON.stringify(reply)}\n`, stderr: "", exitCode: 0 };
}
