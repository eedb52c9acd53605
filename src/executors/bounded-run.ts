import { describeThrown } from "../errors.ts";
import type { HookEvent } from "../event.ts";
import type { Failure, RunResult } from "../outcome.ts";
import type { Rule } from "../rule.ts";
import { Stop } from "../stop-signal.ts";
import type { Executor } from "./executor.ts";
import { type Patience, patienceForWork, RunClock } from "./run-clock.ts";

/** The caller gave up. */
export const CANCELLED: Failure = { kind: "cancelled", message: "cancelled by the caller" };

/** How long a stopped executor may take to hand over its receipt. The verdict does not depend on it. */
const RECEIPT_WAIT_MS = 20;

/**
 * One run, bounded by its rule's `timeoutMs` and the event's patience. The engine keeps both clocks itself: an executor
 * that does not settle, whatever its hook has done to it, must not keep a gate waiting.
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
    // A listener of a signal that has fired already would never be called.
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

/** What stopping a run can bring about by itself. Every other failure has a cause of its own. */
const BROUGHT_ABOUT_BY_STOPPING: ReadonlySet<Failure["kind"]> = new Set(["timeout", "cancelled", "signal", "exit"]);

/**
 * A permission that comes after the end of a clock does not count. A failure does: "the module has changed" is true
 * however late it was found out, and "timeout" would hide it.
 */
function lateResult(result: RunResult, reason: Failure): RunResult {
  if (!result.ok && reason.kind === "timeout" && hasOwnCause(result.failure)) return result;
  return { ok: false, failure: reason, receipt: result.receipt };
}

function hasOwnCause({ kind, code }: Failure): boolean {
  // A pool or a server that was told to stop is "unavailable" for no other reason; a problem with a code is real.
  return kind === "unavailable" ? code !== undefined : !BROUGHT_ABOUT_BY_STOPPING.has(kind);
}
