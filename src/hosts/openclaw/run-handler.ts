import { withSignal } from "./context.ts";
import type { HookContext, HookEventData } from "./plugin-entry.ts";
import type { Registration } from "./registry.ts";

/** Thrown if the run was aborted while a handler was running. */
class RunAborted extends Error {
  constructor() {
    super("the run was aborted");
  }
}

/**
 * Resolves to a handler's result. Rejects with the handler's error, after its timeout, or when the run is aborted. A
 * timeout or an abort does not stop the handler; its later result is ignored.
 */
export async function runHandler(
  { handler, timeoutMs }: Pick<Registration, "handler" | "timeoutMs">,
  event: HookEventData,
  ctx: HookContext,
): Promise<unknown> {
  const { abortSignal } = ctx;
  if (abortSignal?.aborted === true) throw new RunAborted();
  const timeUp = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onAbort: (() => void) | undefined;
  const ends = new Promise<never>((_, reject) => {
    if (timeoutMs !== undefined)
      timer = setTimeout(() => {
        reject(new Error(`timed out after ${timeoutMs}ms`));
        timeUp.abort();
      }, timeoutMs);
    onAbort = () => reject(new RunAborted());
    abortSignal?.addEventListener("abort", onAbort, { once: true });
  });
  try {
    const work = (async () => handler(event, withSignal(ctx, timeUp.signal)))();
    return await Promise.race([work, ends]);
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) abortSignal?.removeEventListener("abort", onAbort);
    ends.catch(() => {});
  }
}
