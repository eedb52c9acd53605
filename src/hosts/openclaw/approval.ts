import type { ApprovalRequest, ApprovalResolution } from "./approval-request.ts";
import { type Log, logText, safeText } from "./log-text.ts";

/** The content that the user sees: the question, and the call as it will run. */
export interface ApprovalQuestion extends Omit<ApprovalRequest, "onResolution" | "timeoutBehavior"> {
  readonly toolName: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly toolCallId?: string;
  readonly runId?: string;
}

/** Asks the user. Only the allowed words permit the call. `undefined` means that the user could not be asked. */
export type Approve = (
  question: ApprovalQuestion,
  options: { readonly signal: AbortSignal },
) => Promise<ApprovalResolution | undefined | null> | ApprovalResolution | undefined | null;

export interface ApprovalOptions {
  /** Asks the user. `undefined`: no user can be asked. */
  readonly approve: Approve | undefined;
  readonly signal: AbortSignal | undefined;
  /** Whether `timeoutBehavior: "allow"` permits the call after a timeout, as OpenClaw's page says. */
  readonly allowsOnTimeout: boolean;
  readonly log: Log;
}

interface ApprovalOutcome {
  readonly resolution: ApprovalResolution;
  readonly isAllowed: boolean;
  /** Why the call is not allowed. Empty for an allowed call. */
  readonly reason: string;
}

/** The wait after the question's own timeout, in milliseconds. A later answer is ignored. */
const GRACE_MS = 10_000;

/** Asks the user and calls `onResolution` exactly once, whatever the outcome. */
export async function settleApproval(
  request: ApprovalRequest,
  call: Pick<ApprovalQuestion, "toolName" | "params" | "toolCallId" | "runId">,
  options: ApprovalOptions,
): Promise<ApprovalOutcome> {
  const outcome = await ask(request, call, options);
  try {
    const pending: unknown = request.onResolution?.(outcome.resolution);
    Promise.resolve(pending).catch((error: unknown) => logResolution(request, error, options.log));
  } catch (error) {
    logResolution(request, error, options.log);
  }
  return outcome;
}

async function ask(
  { onResolution: _, timeoutBehavior, ...question }: ApprovalRequest,
  call: Pick<ApprovalQuestion, "toolName" | "params" | "toolCallId" | "runId">,
  { approve, signal, allowsOnTimeout, log }: ApprovalOptions,
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
    // The signal tells the embedder to remove the question from the screen.
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
