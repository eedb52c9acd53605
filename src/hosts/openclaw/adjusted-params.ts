const MAX_KEPT = 1_024;

type Params = Readonly<Record<string, unknown>>;

/** What tool calls were changed to, for whoever shows them afterwards. By run: two runs may number their calls alike. */
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

  /** Once: whoever asks first has them. */
  consume(runId: string | undefined, toolCallId: string): Params | undefined {
    const key = keyOf(runId, toolCallId);
    const params = this.#kept.get(key);
    this.#kept.delete(key);
    return params;
  }
}

function keyOf(runId: string | undefined, toolCallId: string): string {
  // Ids are the provider's, and may have any sign that would stand between the two.
  return JSON.stringify([runId ?? null, toolCallId]);
}
