import type { Compat } from "../../codec.ts";
import { contractOf } from "../../events/lookup.ts";
import type { JsonValue } from "../../json.ts";
import type { Verdict } from "../../verdict.ts";
import { encodeReply as encodeCanonical, eventFields, forClient } from "../claude-reply.ts";
import type { AgentReply, DecidedEvent } from "../dialect.ts";

/**
 * Encodes a verdict for the generic page, which has only `allow` and `block`. A refusal also has exit code 2, the only
 * sign of a refusal that the page defines clearly. The format has no way to ask the user, so `ask` and `defer` become
 * refusals.
 *
 * Two values of the page are written only if `compat` is `faithful`, because Claude Code drops the whole reply for them
 * and then runs the original call: a `permissionDecision` of "block" (2.1.197), and `"decision": "allow"` together with
 * a rewrite.
 */
export function encodeReply(said: Verdict, decided?: DecidedEvent, compat: Compat = "safer"): AgentReply {
  const isFaithful = compat === "faithful";
  const { client, verdict } = isFaithful ? { client: undefined, verdict: said } : forClient(said, decided);
  const { decision, event } = verdict;
  const isCancelled = verdict.cancelled && decision === "none";
  // The output of a worktree event is plain text, and a refused worktree has no path.
  const { worktreePath, ...fields } = eventFields(verdict, "patterns");
  if (isCancelled || (decision === "none" && typeof worktreePath === "string"))
    return encodeCanonical(verdict, decided);
  const contract = contractOf(event, "patterns");
  // `continue: false` outranks a block: an exit code can express only one of them.
  const isStopped = !verdict.continue && contract?.blockMeansGoOn === true;
  const word = isStopped ? undefined : WORDS[decision];
  const reason = reasonOf(verdict);

  const isPermission = word !== undefined && contract?.verdicts.includes("allow") === true;
  const isRewrite = verdict.updatedInput !== null && word !== "block";
  const isUnread = event === "PreToolUse" && isRewrite && !isFaithful;
  const details: Record<string, JsonValue> = isPermission && word === "block" ? {} : fields;
  if (isPermission) details["permissionDecision"] = word === "block" && !isFaithful ? "deny" : word;
  if (isUnread && client?.rewrites === "with allow") details["permissionDecision"] = "allow";
  if (isRewrite) details["updatedInput"] = verdict.updatedInput;
  if (verdict.updatedOutput !== null) details["updatedMCPToolOutput"] = verdict.updatedOutput;
  if (verdict.additionalContext !== null) details["additionalContext"] = verdict.additionalContext;
  const reply: Record<string, JsonValue> = {
    ...(word === undefined || isUnread ? {} : { decision: word }),
    ...(word === "block" ? { reason } : {}),
    ...(verdict.continue ? {} : { continue: false, stopReason: verdict.stopReason ?? reason }),
    ...(verdict.systemMessage === null ? {} : { systemMessage: verdict.systemMessage }),
    ...(verdict.suppressOutput && word !== "block" ? { suppressOutput: true } : {}),
    ...(Object.keys(details).length === 0 ? {} : { hookSpecificOutput: { hookEventName: event, ...details } }),
  };
  return {
    stdout: Object.keys(reply).length === 0 ? "" : `${JSON.stringify(reply)}\n`,
    stderr: word === "block" ? `${reason}\n` : "",
    exitCode: word === "block" ? 2 : 0,
  };
}

const WORDS: Readonly<Record<Verdict["decision"], "allow" | "block" | undefined>> = {
  allow: "allow",
  none: undefined,
  deny: "block",
  block: "block",
  ask: "block",
  defer: "block",
};

function reasonOf({ decision, reason, stopReason }: Verdict): string {
  const isDoubt = decision === "ask" || decision === "defer";
  const said = reason ?? stopReason;
  if (isDoubt) return `this needs the user's decision${said === null ? "" : `: ${said}`}`;
  return said ?? "refused by a hook";
}
