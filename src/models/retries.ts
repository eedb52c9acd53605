import { isClosedConnection } from "../net/connection-failure.ts";
import type { FetchFailed } from "../net/fetch-failed.ts";
import type { ProviderFailure } from "./provider-failure.ts";

/** Decides when a question is asked again. The client libraries' own retries cannot be cancelled. */

const MAX_RETRIES = 2;
/** The maximum wait before a retry, in milliseconds. If the provider asks for a longer wait, the question fails. */
const MAX_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 500;

/** Whether a status is temporary: timeouts, conflicts, too many requests, errors of the server. */
const isPassing = (status: number): boolean => status === 408 || status === 409 || status === 429 || status >= 500;

/** Returns the milliseconds to wait before the next try. `undefined`: do not retry. `tries` counts the tries so far. */
export function waitBeforeRetry(
  { status, headers }: ProviderFailure,
  fetchFailed: FetchFailed | undefined,
  tries: number,
): number | undefined {
  if (tries > MAX_RETRIES) return undefined;
  const isWorthIt = status === undefined ? endedBeforeAnswer(fetchFailed) : isPassing(status);
  if (!isWorthIt) return undefined;
  const wanted = wantedWaitMs(headers);
  if (wanted !== undefined) return wanted <= MAX_WAIT_MS ? wanted : undefined;
  // The random part prevents clients that were rejected together from retrying together.
  return FIRST_WAIT_MS * 2 ** (tries - 1) * (0.75 + Math.random() / 4);
}

function endedBeforeAnswer(failed: FetchFailed | undefined): boolean {
  return failed?.cause instanceof Error && isClosedConnection(failed.cause);
}

/** Reads `retry-after`: seconds or a date. */
function wantedWaitMs(headers: Headers | undefined): number | undefined {
  const text = headers?.get("retry-after")?.trim();
  if (text === undefined || text === "") return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Waits. Resolves early if the signal fires. */
export function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
