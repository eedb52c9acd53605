import type { HookOutcome, Reply, RunResult } from "../outcome.ts";
import type { Answer, Rule } from "../rule.ts";

/**
 * Keeps the parts of a reply that the rule's `may` allows, and lists the rest in `dropped`. By default a third party's
 * guard can only stop an action. The user must allow the guard to permit or change an action.
 */
export function limitReply(rule: Rule, { reply, receipt, ignored }: Extract<RunResult, { ok: true }>): HookOutcome {
  const dropped: string[] = [...(ignored ?? [])];
  const may = (answer: Answer, what: string): boolean => {
    if (rule.may.includes(answer)) return true;
    dropped.push(`${what}: the rule may not "${answer}"`);
    return false;
  };

  const kept: { -readonly [Key in keyof Reply]: Reply[Key] } = { ...reply };
  if (reply.decision !== undefined && !may(answerFor(reply.decision), `decision "${reply.decision}"`)) {
    delete kept.decision;
    delete kept.reason;
  }
  if (reply.continue === false && !may("deny", "continue: false")) {
    delete kept.continue;
    delete kept.stopReason;
  }
  for (const field of ["updatedInput", "updatedOutput", "updatedMessages", "summary", "approval"] as const) {
    if (reply[field] !== undefined && !may("rewrite", field)) delete kept[field];
  }
  if (reply.specific !== undefined) {
    // A lasting permission is also an "allow".
    const { updatedPermissions, ...others } = reply.specific;
    const specific = {
      ...(updatedPermissions !== undefined && may("allow", "updatedPermissions") ? { updatedPermissions } : {}),
      ...(Object.keys(others).length > 0 && may("rewrite", "specific") ? others : {}),
    };
    if (Object.keys(specific).length > 0) kept.specific = specific;
    else delete kept.specific;
  }
  for (const field of ["additionalContext", "systemMessage", "followUp", "suppressOutput", "metadata"] as const) {
    if (reply[field] !== undefined && !may("context", field)) delete kept[field];
  }

  const rest = dropped.length === 0 ? {} : { dropped };
  return Object.keys(kept).length === 0
    ? { status: "abstained", receipt, ...rest }
    : { status: "decided", reply: kept, receipt, ...rest };
}

function answerFor(decision: NonNullable<Reply["decision"]>): Answer {
  switch (decision) {
    case "deny":
    case "block":
      return "deny";
    // A deferred call is a question and not a permission, because the user decides about the call later.
    case "ask":
    case "defer":
      return "ask";
    case "allow":
      return "allow";
    default:
      return decision satisfies never;
  }
}
