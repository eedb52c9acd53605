import { contractOf } from "../events/lookup.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { Verdict } from "../verdict.ts";
import { CLIENTS, type Client, clientOf } from "./clients.ts";
import type { AgentReply, DecidedEvent } from "./dialect.ts";

/**
 * Encodes a verdict as Claude Code's reply. A refusal is JSON with exit code 0 if the event has JSON for it. Every
 * measured client that sends Claude Code's events obeys this form and shows the model its reason. If the agent reads
 * only an exit code, the code is 2 and stderr is never empty, because some clients treat a silent 2 as consent.
 *
 * A refusal never contains a field that makes a client drop the refusal. docs/replies.md lists these fields.
 */
export function encodeReply(said: Verdict, event?: DecidedEvent): AgentReply {
  const { client, verdict } = forClient(said, event);
  const refused = verdict.decision === "deny" || verdict.decision === "block";
  const reason = verdict.reason ?? verdict.stopReason ?? "refused by a hook";
  if (verdict.cancelled && verdict.decision === "none") return cancelled(verdict.event);
  if (refused && verdict.continue && BY_EXIT_CODE.has(verdict.event)) return byExitCode(reason);
  const { worktreePath } = verdict.specific;
  if (!refused && typeof worktreePath === "string") return { stdout: `${worktreePath}\n`, stderr: "", exitCode: 0 };

  const isPermission = isAskedForPermission(verdict.event);
  // Codex drops a refusal that contains a field outside of Codex's schema.
  const isBare = refused && (isPermission || client?.refusesAlone === true);
  const specific = isBare ? {} : eventFields(verdict, "claude-code");
  const reply: Record<string, JsonValue> = {};
  if (verdict.event === "PermissionRequest") addBehaviour(specific, verdict, reason);
  else if (isPermission) addPermission(specific, verdict, reason);
  else if (BY_ACTION.has(verdict.event) && refused) {
    specific["action"] = "decline";
    delete specific["content"];
  } else if (refused) {
    reply["decision"] = "block";
    reply["reason"] = reason;
  }

  if (verdict.event !== "PermissionRequest" && verdict.updatedInput !== null && !refused) {
    if (client?.rewrites === "with allow") specific["permissionDecision"] = "allow";
    specific["updatedInput"] = verdict.updatedInput;
  }
  if (!isBare) addChanges(specific, verdict);
  if (verdict.additionalContext !== null) specific["additionalContext"] = verdict.additionalContext;
  if (!verdict.continue) {
    reply["continue"] = false;
    reply["stopReason"] = verdict.stopReason ?? reason;
  }
  if (verdict.systemMessage !== null) reply["systemMessage"] = verdict.systemMessage;
  if (verdict.suppressOutput && !refused) reply["suppressOutput"] = true;
  if (Object.keys(specific).length > 0) reply["hookSpecificOutput"] = { hookEventName: verdict.event, ...specific };
  // Codex drops a denial that contains `continue: false`. With exit code 2, Codex reads only stderr.
  const isDeniedStop = isPermission && refused && !verdict.continue;
  return isDeniedStop ? { ...byJson(reply), stderr: `${reason}\n`, exitCode: 2 } : byJson(reply);
}

/** Returns the event's own fields that the agent knows. A hook in another agent's format may have set other fields. */
export function eventFields({ event, specific }: Verdict, dialect: string): Record<string, JsonValue> {
  const known = contractOf(event, dialect)?.specific ?? [];
  return Object.fromEntries(Object.entries(specific).filter(([key]) => known.includes(key)));
}

function addChanges(specific: Record<string, JsonValue>, verdict: Verdict): void {
  if (verdict.updatedOutput !== null) specific["updatedToolOutput"] = verdict.updatedOutput;
  if (verdict.updatedMessages !== null) specific["updatedMessages"] = verdict.updatedMessages;
  if (verdict.summary !== null) specific["summary"] = verdict.summary;
  if (Object.keys(verdict.metadata).length > 0) specific["metadata"] = verdict.metadata;
}

/**
 * Adapts the verdict to the fields that the sender of the event obeys. Also returns the sender if it is a client
 * without a dialect.
 */
export function forClient(
  verdict: Verdict,
  event: DecidedEvent | undefined,
): { readonly client: Client | undefined; readonly verdict: Verdict } {
  const name = event === undefined ? undefined : clientOf(event.payload);
  if (name === undefined) return { client: undefined, verdict };
  return { client: CLIENTS[name], verdict: inReachOf(CLIENTS[name], verdict) };
}

/** Turns an answer that the client would not obey into a refusal, and drops fields that would void a refusal. */
function inReachOf(client: Client, verdict: Verdict): Verdict {
  const { decision, event, updatedInput } = verdict;
  const refuse = (because: string): Verdict => {
    const reason = verdict.reason === null ? because : `${verdict.reason} (${because})`;
    return { ...verdict, decision: "deny", reason, updatedInput: null };
  };
  if (isAskedForPermission(event)) {
    if ((decision === "ask" || decision === "defer") && !client.doubts.includes(decision))
      return refuse(`refused, because ${client.title} would run the tool after a hook's "${decision}"`);
    if (updatedInput !== null && decision !== "deny" && client.rewrites === "ignored")
      return refuse(`refused, because a rule changes this call and ${client.title} would run it unchanged`);
  }
  const isVoided = client.refusesAlone === true && event === "PermissionRequest" && decision === "deny";
  return isVoided ? { ...verdict, specific: {}, continue: true } : verdict;
}

const BY_ACTION: ReadonlySet<string> = new Set(["Elicitation", "ElicitationResult"]);
/** Events whose refusal has no JSON form. */
const BY_EXIT_CODE: ReadonlySet<string> = new Set(["TaskCompleted", "TeammateIdle", "WorktreeCreate"]);

/** Whether `permissionDecision` answers this event. */
function isAskedForPermission(event: string): boolean {
  return event !== "PermissionRequest" && contractOf(event, "claude-code")?.verdicts.includes("allow") === true;
}

function addPermission(specific: Record<string, JsonValue>, verdict: Verdict, reason: string): void {
  if (verdict.decision === "none") return;
  specific["permissionDecision"] = verdict.decision;
  if (verdict.decision === "deny" || verdict.reason !== null) specific["permissionDecisionReason"] = reason;
}

/** Adds the behaviour. Adds nothing for `ask` and for no decision, because the user is then asked anyway. */
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

export function byJson(reply: JsonObject): AgentReply {
  return { stdout: Object.keys(reply).length === 0 ? "" : `${JSON.stringify(reply)}\n`, stderr: "", exitCode: 0 };
}

/**
 * Encodes a cancelled dispatch as exit code 2 at a gate, otherwise as 1. A refusal elsewhere would keep the agent going
 * or blame a tool that has already run.
 */
function cancelled(event: string): AgentReply {
  const contract = contractOf(event, "claude-code");
  const isPlainGate = contract?.kind === "gate" && !contract.blockMeansGoOn;
  return byExitCode("hookbox was cancelled before all rules had answered", isPlainGate ? 2 : 1);
}

function byExitCode(reason: string, exitCode = 2): AgentReply {
  return { stdout: "", stderr: `${reason}\n`, exitCode };
}
