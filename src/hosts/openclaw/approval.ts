import type { ApprovalRequest, ApprovalResolution } from "./approval-request.ts";
import { type Log, logText, safeText } from "./log-text.ts";

/** What the user is asked: the question, and the call as it will run. */
export interface ApprovalQuestion extends Omit<ApprovalRequest, "onResolution" | "timeoutBehavior"> {
  readonly toolName: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly toolCallId?: string;
  readonly runId?: string;
}

/**
 * Puts a question before the user. Anything but one of the allowed words is no permission: `undefined` says that the
 * question could not be put.
 */
export type Approve = (
  question: ApprovalQuestion,
  options: { readonly signal: AbortSignal },
) => Promise<ApprovalResolution | undefined | null> | ApprovalResolution | undefined | null;

export interface ApprovalTerms {
  /** Absent: there is nobody to ask. */
  readonly approve: Approve | undefined;
  readonly signal: AbortSignal | undefined;
  /** `timeoutBehavior: "allow"` allows, as OpenClaw's page has it. */
  readonly allowsOnTimeout: boolean;
  readonly log: Log;
}

export interface ApprovalOutcome {
  readonly resolution: ApprovalResolution;
  readonly isAllowed: boolean;
  /** Why not. */
  readonly reason: string;
}

/** How much longer than the question's own time its answer is waited for. */
const GRACE_MS = 10_000;

/** Asks, and tells whoever wanted to know: once, whatever comes of it. */
export async function settleApproval(
  request: ApprovalRequest,
  call: Pick<ApprovalQuestion, "toolName" | "params" | "toolCallId" | "runId">,
  terms: ApprovalTerms,
): Promise<ApprovalOutcome> {
  const outcome = await ask(request, call, terms);
  try {
    const told: unknown = request.onResolution?.(outcome.resolution);
    Promise.resolve(told).catch((error: unknown) => logResolution(request, error, terms.log));
  } catch (error) {
    logResolution(request, error, terms.log);
  }
  return outcome;
}

async function ask(
  { onResolution: _, timeoutBehavior, ...question }: ApprovalRequest,
  call: Pick<ApprovalQuestion, "toolName" | "params" | "toolCallId" | "runId">,
  { approve, signal, allowsOnTimeout, log }: ApprovalTerms,
): Promise<ApprovalOutcome> {
  if (signal?.aborted === true) return ABORTED;
  if (approve === undefined) return cancelled("Approval is not available");
  const over = new AbortController();
  const limitMs = question.timeoutMs + GRACE_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onAbort: (() => void) | undefined;
  const ends = new Promise<"timeout" | "aborted">((resolve) => {
    timer = setTimeout(() => resolve("timeout"), limitMs);
    onAbort = () => resolve("aborted");
    signal?.addEventListener("abort", onAbort, { once: true });
  });
  try {
    const put = (async () => approve({ ...question, ...call }, { signal: over.signal }))();
    const answer = await Promise.race([put, ends]);
    if (answer === "aborted") return ABORTED;
    if (answer === undefined || answer === null || answer === "cancelled")
      return cancelled("Approval could not be obtained");
    const known = question.allowedDecisions.find((one) => one === answer);
    if (known === "deny") return { resolution: "deny", isAllowed: false, reason: "Denied by user" };
    if (known !== undefined) return { resolution: known, isAllowed: true, reason: "" };
    const reason = question.timeoutReason ?? "Approval timed out";
    const isAllowed = answer === "timeout" && timeoutBehavior === "allow" && allowsOnTimeout;
    return { resolution: "timeout", isAllowed, reason };
  } catch (error) {
    log.error(safeText(`the approval for plugin "${question.pluginId}" failed: ${logText(error)}`));
    return cancelled("Approval request failed");
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal?.removeEventListener("abort", onAbort);
    // Whoever still shows the question may take it away.
    over.abort();
  }
}

const ABORTED: ApprovalOutcome = cancelled("Approval cancelled (run aborted)");

function cancelled(reason: string): ApprovalOutcome {
  return { resolution: "cancelled", isAllowed: false, reason };
}

function logResolution({ pluginId }: ApprovalRequest, error: unknown, log: Log): void {
  log.error(safeText(`onResolution of plugin "${pluginId}" failed: ${logText(error)}`));
}
