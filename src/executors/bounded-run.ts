import { describeThrown } from "../errors.ts";
import type { HookEvent } from "../event.ts";
import type { Failure, RunResult } from "../outcome.ts";
import type { Rule } from "../rule.ts";
import { Stop } from "../stop-signal.ts";
import type { Executor } from "./executor.ts";
import { type Patience, patienceForWork, RunClock } from "./run-clock.ts";

/** The failure of a run that the caller cancelled. */
export const CANCELLED: Failure = { kind: "cancelled", message: "cancelled by the caller" };

/** How long a stopped executor may take to return its receipt. The verdict does not depend on the receipt. */
const RECEIPT_WAIT_MS = 20;

/**
 * Runs a rule, limited by the rule's `timeoutMs` and the event's patience. The engine measures both limits, because the
 * executor of a misbehaving hook may never settle, and the gate must not wait for it.
 */
export function runBounded(
  executor: Executor,
  rule: Rule,
  event: HookEvent,
  caller: AbortSignal | undefined,
  patience: Patience = patienceForWork([rule], performance.now()),
): Promise<RunResult> {
  const clock = new RunClock(rule, patience);
  const signal = new Stop((phase) => clock.enter(phase));
  clock.start((failure) => signal.abort(failure));
  const failed = (failure: Failure): RunResult => ({ ok: false, failure, receipt: { micros: clock.micros } });
  const onCancel = (): void => signal.abort(CANCELLED);

  return new Promise((resolve) => {
    let receiptTimer: NodeJS.Timeout | undefined;
    const settle = (result: RunResult): void => {
      clock.stop();
      clearTimeout(receiptTimer);
      caller?.removeEventListener("abort", onCancel);
      resolve(result);
    };
    signal.addEventListener("abort", () => {
      receiptTimer = setTimeout(() => settle(failed(signal.reason as Failure)), RECEIPT_WAIT_MS);
    });
    // A signal that has already fired does not call new listeners.
    if (caller?.aborted === true) onCancel();
    else caller?.addEventListener("abort", onCancel, { once: true });
    const options = { signal, timeLeftMs: clock.timeLeftMs, overdue: () => clock.overdue };
    executor.run(rule, event, options).then(
      (result) => settle(signal.aborted ? lateResult(result, signal.reason as Failure) : result),
      (error: unknown) =>
        settle(
          failed({
            kind: "unavailable",
            message: `defect in the ${executor.type} executor: ${describeThrown(error)}`,
          }),
        ),
    );
  });
}

/** Failures that stopping a run may cause. Every other failure has its own cause. */
const BROUGHT_ABOUT_BY_STOPPING: ReadonlySet<Failure["kind"]> = new Set(["timeout", "cancelled", "signal", "exit"]);

/**
 * Returns the result of a run that settled after its time was over. A reply does not count. A failure does, because a
 * late "the module has changed" is still true, and "timeout" would hide the cause.
 */
function lateResult(result: RunResult, reason: Failure): RunResult {
  if (!result.ok && reason.kind === "timeout" && hasOwnCause(result.failure)) return result;
  return { ok: false, failure: reason, receipt: result.receipt };
}

function hasOwnCause({ kind, code }: Failure): boolean {
  // Stopping a pool or a server makes it "unavailable". A failure with a code was not caused by stopping.
  return kind === "unavailable" ? code !== undefined : !BROUGHT_ABOUT_BY_STOPPING.has(kind);
}
