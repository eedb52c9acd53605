import type { JsonValue } from "../../event.ts";
import { contractOf } from "../../events/lookup.ts";
import type { Verdict } from "../../verdict.ts";
import { encodeReply as encodeCanonical } from "../claude-reply.ts";
import type { AgentReply } from "../dialect.ts";

/**
 * A verdict in the generic page's words, which has two of them: `allow` and `block`. A refusal has exit code 2 besides,
 * the one sign of it that the page leaves no doubt about. It knows nobody to ask, so a doubt goes out as a refusal.
 */
export function encodeReply(verdict: Verdict): AgentReply {
  const { decision, specific, event } = verdict;
  const isCancelled = verdict.cancelled && decision === "none";
  // A folder is told as plain text, and one that is refused is none.
  const { worktreePath, ...fields } = specific;
  if (isCancelled || (decision === "none" && typeof worktreePath === "string")) return encodeCanonical(verdict);
  const contract = contractOf(event, "patterns");
  // To be stopped outranks to be sent on, and an exit code can only say one of them.
  const isStopped = !verdict.continue && contract?.blockMeansGoOn === true;
  const word = isStopped ? undefined : WORDS[decision];
  const reason = reasonOf(verdict);

  const details: Record<string, JsonValue> = { ...fields };
  if (word !== undefined && contract?.verdicts.includes("allow") === true) details["permissionDecision"] = word;
  if (verdict.updatedInput !== null) details["updatedInput"] = verdict.updatedInput;
  if (verdict.updatedOutput !== null) details["updatedMCPToolOutput"] = verdict.updatedOutput;
  if (verdict.additionalContext !== null) details["additionalContext"] = verdict.additionalContext;
  const reply: Record<string, JsonValue> = {
    ...(word === undefined ? {} : { decision: word }),
    ...(word === "block" ? { reason } : {}),
    ...(verdict.continue ? {} : { continue: false, stopReason: verdict.stopReason ?? reason }),
    ...(verdict.systemMessage === null ? {} : { systemMessage: verdict.systemMessage }),
    ...(verdict.suppressOutput ? { suppressOutput: true } : {}),
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
  if (isDoubt) return `somebody has to decide about this${said === null ? "" : `: ${said}`}`;
  return said ?? "refused by a hook";
}
