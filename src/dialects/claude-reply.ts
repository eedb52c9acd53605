import type { JsonObject, JsonValue } from "../event.ts";
import { contractOf } from "../events/lookup.ts";
import type { Verdict } from "../verdict.ts";
import type { AgentReply } from "./dialect.ts";

/**
 * A verdict in Claude Code's words. Refusals go out as JSON with exit code 0 wherever the event has JSON for them:
 * that is the one form that every client measured treats as a refusal. Where only an exit code is read, it is 2 and
 * never without text on stderr, since some clients take a silent 2 for consent.
 */
export function encodeReply(verdict: Verdict): AgentReply {
  const refused = verdict.decision === "deny" || verdict.decision === "block";
  const reason = verdict.reason ?? verdict.stopReason ?? "refused by a hook";
  if (verdict.cancelled && verdict.decision === "none") return cancelled(verdict.event);
  if (refused && verdict.continue && BY_EXIT_CODE.has(verdict.event)) return byExitCode(reason);
  const { worktreePath } = verdict.specific;
  if (!refused && typeof worktreePath === "string") return { stdout: `${worktreePath}\n`, stderr: "", exitCode: 0 };

  const specific: Record<string, JsonValue> = { ...verdict.specific };
  const reply: Record<string, JsonValue> = {};
  if (verdict.event === "PermissionRequest") addBehaviour(specific, verdict, reason);
  else if (isAskedForPermission(verdict.event)) addPermission(specific, verdict, reason);
  else if (BY_ACTION.has(verdict.event) && refused) {
    specific["action"] = "decline";
    delete specific["content"];
  } else if (refused) {
    reply["decision"] = "block";
    reply["reason"] = reason;
  }

  if (verdict.event !== "PermissionRequest" && verdict.updatedInput !== null)
    specific["updatedInput"] = verdict.updatedInput;
  if (verdict.updatedOutput !== null) specific["updatedToolOutput"] = verdict.updatedOutput;
  if (verdict.updatedMessages !== null) specific["updatedMessages"] = verdict.updatedMessages;
  if (verdict.summary !== null) specific["summary"] = verdict.summary;
  if (Object.keys(verdict.metadata).length > 0) specific["metadata"] = verdict.metadata;
  if (verdict.additionalContext !== null) specific["additionalContext"] = verdict.additionalContext;
  if (!verdict.continue) {
    reply["continue"] = false;
    reply["stopReason"] = verdict.stopReason ?? reason;
  }
  if (verdict.systemMessage !== null) reply["systemMessage"] = verdict.systemMessage;
  if (verdict.suppressOutput) reply["suppressOutput"] = true;
  if (Object.keys(specific).length > 0) reply["hookSpecificOutput"] = { hookEventName: verdict.event, ...specific };
  return byJson(reply);
}

const BY_ACTION: ReadonlySet<string> = new Set(["Elicitation", "ElicitationResult"]);
/** Events whose refusal has no JSON form. */
const BY_EXIT_CODE: ReadonlySet<string> = new Set(["TaskCompleted", "TeammateIdle", "WorktreeCreate"]);

function isAskedForPermission(event: string): boolean {
  return contractOf(event, "claude-code")?.verdicts.includes("allow") === true;
}

function addPermission(specific: Record<string, JsonValue>, verdict: Verdict, reason: string): void {
  if (verdict.decision === "none") return;
  specific["permissionDecision"] = verdict.decision;
  if (verdict.decision === "deny" || verdict.reason !== null) specific["permissionDecisionReason"] = reason;
}

/** Silence leaves the question to the user, which is what `ask` and "no opinion" mean here. */
function addBehaviour(specific: Record<string, JsonValue>, verdict: Verdict, reason: string): void {
  const { interrupt, updatedPermissions } = verdict.specific;
  delete specific["interrupt"];
  delete specific["updatedPermissions"];
  if (verdict.decision === "deny") {
    specific["decision"] = { behavior: "deny", message: reason, ...(interrupt === undefined ? {} : { interrupt }) };
  }
  if (verdict.decision === "allow") {
    specific["decision"] = {
      behavior: "allow",
      ...(verdict.updatedInput === null ? {} : { updatedInput: verdict.updatedInput }),
      ...(updatedPermissions === undefined ? {} : { updatedPermissions }),
    };
  }
}

function byJson(reply: JsonObject): AgentReply {
  return { stdout: Object.keys(reply).length === 0 ? "" : `${JSON.stringify(reply)}\n`, stderr: "", exitCode: 0 };
}

/** No permission; and no refusal where a refusal would keep the agent going, or blame a tool that has run. */
function cancelled(event: string): AgentReply {
  const contract = contractOf(event, "claude-code");
  const isPlainGate = contract?.kind === "gate" && !contract.blockMeansGoOn;
  return byExitCode("hookbox was cancelled before all rules had answered", isPlainGate ? 2 : 1);
}

function byExitCode(reason: string, exitCode = 2): AgentReply {
  return { stdout: "", stderr: `${reason}\n`, exitCode };
}
