import type { JsonObject, JsonValue } from "../event.ts";
import { contractOf } from "../events/lookup.ts";
import type { Verdict } from "../verdict.ts";
import { CLIENTS, type Client, clientOf } from "./clients.ts";
import type { AgentReply, DecidedEvent } from "./dialect.ts";

/**
 * A verdict in Claude Code's words. Refusals are JSON with exit code 0 wherever the event has JSON for them: every
 * measured client that sends Claude Code's events obeys that form, and gives the model its reason. Where only an exit
 * code is read, it is 2 and never without text on stderr, since some clients take a silent 2 for consent.
 *
 * No refusal has a field beside it for which a client drops the refusal: docs/replies.md lists them.
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
  // Codex drops a refusal beside any field that its schema does not have.
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
  // Codex drops a denial beside `continue: false`, and with exit code 2 it reads standard error only.
  const isDeniedStop = isPermission && refused && !verdict.continue;
  return isDeniedStop ? { ...byJson(reply), stderr: `${reason}\n`, exitCode: 2 } : byJson(reply);
}

/** The event's own fields that the agent knows. A hook that speaks another agent's words may have set others. */
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

/** The verdict as the event's sender can obey it, and the sender, if it is one that has no dialect. */
export function forClient(
  verdict: Verdict,
  event: DecidedEvent | undefined,
): { readonly client: Client | undefined; readonly verdict: Verdict } {
  const name = event === undefined ? undefined : clientOf(event.payload);
  if (name === undefined) return { client: undefined, verdict };
  return { client: CLIENTS[name], verdict: inReachOf(CLIENTS[name], verdict) };
}

/** Turns what the client would not obey into a refusal, and leaves out what would void a refusal. */
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
