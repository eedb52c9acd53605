import { describeThrown } from "../errors.ts";
import type { HookEvent } from "../event.ts";
import type { Failure, RunResult } from "../outcome.ts";
import type { Rule } from "../rule.ts";
import { Stop } from "../stop-signal.ts";
import type { Executor } from "./executor.ts";

/** The caller gave up. */
export const CANCELLED: Failure = { kind: "cancelled", message: "cancelled by the caller" };

/** How long a stopped executor may take to hand over its receipt. The verdict does not depend on it. */
const RECEIPT_WAIT_MS = 20;

/** A bound that all rules of one event share. */
export interface EventBudget {
  readonly startedAt: number;
  readonly limitMs: number;
}

/**
 * One run under one deadline. The engine keeps the deadline itself: an executor that does not settle, whatever its
 * hook has done to it, must not keep a gate waiting.
 */
export function runBounded(
  executor: Executor,
  rule: Rule,
  event: HookEvent,
  startedAt: number,
  caller: AbortSignal | undefined,
  budget?: EventBudget,
): Promise<RunResult> {
  const begun = performance.now();
  const ownMs = Math.max(0, rule.timeoutMs - (begun - startedAt));
  const sharedMs = budget === undefined ? ownMs : Math.max(0, budget.limitMs - (begun - budget.startedAt));
  const timeLeftMs = Math.min(ownMs, sharedMs);
  const failed = (failure: Failure): RunResult => ({
    ok: false,
    failure,
    receipt: { micros: Math.round((performance.now() - begun) * 1_000) },
  });
  const signal = new Stop();
  const onDeadline = (): void =>
    signal.abort(budget !== undefined && sharedMs < ownMs ? budgetFailure(budget) : timeoutFailure(rule, startedAt));
  const timer = setTimeout(onDeadline, timeLeftMs);
  const onCancel = (): void => signal.abort(CANCELLED);
  caller?.addEventListener("abort", onCancel, { once: true });

  return new Promise((resolve) => {
    let receiptTimer: NodeJS.Timeout | undefined;
    const settle = (result: RunResult): void => {
      clearTimeout(timer);
      clearTimeout(receiptTimer);
      caller?.removeEventListener("abort", onCancel);
      resolve(result);
    };
    signal.addEventListener("abort", () => {
      receiptTimer = setTimeout(() => settle(failed(signal.reason as Failure)), RECEIPT_WAIT_MS);
    });
    executor.run(rule, event, { signal, timeLeftMs }).then(
      // An answer that comes with the deadline is late, whatever it says.
      (result) =>
        settle(signal.aborted ? { ok: false, failure: signal.reason as Failure, receipt: result.receipt } : result),
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

function timeoutFailure({ timeoutMs }: Rule, startedAt: number): Failure {
  return {
    kind: "timeout",
    message: `no answer within ${timeoutMs} ms`,
    limit: timeoutMs,
    value: spentMs(startedAt, timeoutMs),
  };
}

/** A timer may fire a moment early by the other clock; a limit that was hit is never reported as not reached. */
function spentMs(startedAt: number, limitMs: number): number {
  return Math.max(limitMs, Math.round(performance.now() - startedAt));
}

function budgetFailure({ startedAt, limitMs }: EventBudget): Failure {
  return {
    kind: "timeout",
    message: `no answer within the event's budget of ${limitMs} ms`,
    limit: limitMs,
    value: spentMs(startedAt, limitMs),
  };
}
