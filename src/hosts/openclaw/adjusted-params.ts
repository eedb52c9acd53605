const MAX_KEPT = 1_024;

type Params = Readonly<Record<string, unknown>>;

/**
 * The changed parameters of tool calls, for displaying them later. The key includes the run, because two runs may use
 * the same call ids.
 */
export class AdjustedParams {
  readonly #kept = new Map<string, Params>();

  keep(runId: string | undefined, toolCallId: string | undefined, params: Params): void {
    if (toolCallId === undefined) return;
    const key = keyOf(runId, toolCallId);
    this.#kept.delete(key);
    this.#kept.set(key, params);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > MAX_KEPT && oldest.done !== true) this.#kept.delete(oldest.value);
  }

  /** Returns the parameters and forgets them, so that only the first caller gets them. */
  consume(runId: string | undefined, toolCallId: string): Params | undefined {
    const key = keyOf(runId, toolCallId);
    const params = this.#kept.get(key);
    this.#kept.delete(key);
    return params;
  }
}

function keyOf(runId: string | undefined, toolCallId: string): string {
  // The key is JSON, because the provider chooses the ids and they may contain any separator.
  return JSON.stringify([runId ?? null, toolCallId]);
}
