import type { Failure } from "../outcome.ts";
import type { StopSignal } from "../stop-signal.ts";
import type { ModelResult } from "./model.ts";

/**
 * Runs a question until it is answered, the caller stops it, or `closing` fires. A stopped question is aborted by its
 * signal, and its result is ignored.
 */
export function stoppableRequest(
  stop: StopSignal,
  closing: StopSignal,
  ask: (signal: AbortSignal) => Promise<ModelResult>,
): Promise<ModelResult> {
  if (closing.aborted) return Promise.resolve(failed({ kind: "unavailable", message: "models are closed" }));
  if (stop.aborted) return Promise.resolve(failed(stop.reason as Failure));
  return new Promise((resolve) => {
    const controller = new AbortController();
    const settle = (result: ModelResult): void => {
      stop.removeEventListener("abort", onStop);
      closing.removeEventListener("abort", onClose);
      resolve(result);
      controller.abort();
    };
    const onStop = (): void => settle(failed(stop.reason as Failure));
    const onClose = (): void => settle(failed({ kind: "cancelled", message: "the engine was closed during the call" }));
    stop.addEventListener("abort", onStop, { once: true });
    closing.addEventListener("abort", onClose, { once: true });
    ask(controller.signal).then(settle, (error: unknown) =>
      settle(failed({ kind: "unavailable", message: `the request could not be sent (${nameOf(error)})` })),
    );
  });
}

export function failed(failure: Failure): ModelResult {
  return { ok: false, failure };
}

/** Returns only the name of an error, because its message may contain anything. */
function nameOf(error: unknown): string {
  return error instanceof TypeError ? "TypeError" : "an error of ours";
}
