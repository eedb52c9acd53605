import type { Failure } from "../../outcome.ts";
import { Stop, type StopSignal } from "../../stop-signal.ts";

/** The maximum delay of a timer. A timer with a longer delay fires immediately. */
const MAX_TIMER_MS = 2_147_483_647;

/** Runs `work` with a signal that fires when the caller's signal fires, and after `limitMs` at the latest. */
export async function limitTime<Value>(
  stop: StopSignal,
  limitMs: number,
  what: string,
  work: (sooner: Stop) => Promise<Value>,
): Promise<Value> {
  const sooner = new Stop();
  const onStop = (): void => sooner.abort(stop.reason);
  const onTime = (): void =>
    sooner.abort({ kind: "timeout", message: `${what} within ${limitMs} ms`, limit: limitMs } satisfies Failure);
  if (stop.aborted) onStop();
  stop.addEventListener("abort", onStop, { once: true });
  const timer = setTimeout(onTime, Math.min(limitMs, MAX_TIMER_MS));
  try {
    return await work(sooner);
  } finally {
    clearTimeout(timer);
    stop.removeEventListener("abort", onStop);
  }
}
