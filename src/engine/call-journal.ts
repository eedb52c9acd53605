import type { JsonObject, JsonValue } from "../json.ts";
import type { Verdict } from "../verdict.ts";
import type { PhaseVerdict, ToolCallPhase, ToolCallResult } from "./tool-call-host.ts";

/** Collects the contexts, messages, metadata, stop reasons and verdicts of all phases of a call. */
export class CallJournal {
  readonly #verdicts: PhaseVerdict[] = [];
  readonly #contexts = new Set<string>();
  readonly #systemMessages = new Set<string>();
  readonly #metadata: Record<string, JsonValue> = Object.create(null) as Record<string, JsonValue>;
  readonly #stopReasons = new Set<string>();
  #continue = true;

  note(phase: ToolCallPhase, recheck: boolean, verdict: Verdict): void {
    this.#verdicts.push({ phase, recheck, verdict });
    if (verdict.additionalContext !== null) this.#contexts.add(verdict.additionalContext);
    if (verdict.systemMessage !== null) this.#systemMessages.add(verdict.systemMessage);
    for (const [key, value] of Object.entries(verdict.metadata)) this.#metadata[key] = value;
    if (!verdict.continue) this.stop(null);
    if (verdict.stopReason !== null) this.#stopReasons.add(verdict.stopReason);
  }

  /** Records that the agent has to stop for another reason than `continue: false`. */
  stop(reason: string | null): void {
    this.#continue = false;
    if (reason !== null) this.#stopReasons.add(reason);
  }

  metadata(): JsonObject {
    return { ...this.#metadata };
  }

  summary(): Pick<ToolCallResult, "contexts" | "systemMessages" | "metadata" | "continue" | "stopReason" | "verdicts"> {
    return {
      contexts: [...this.#contexts],
      systemMessages: [...this.#systemMessages],
      metadata: this.metadata(),
      continue: this.#continue,
      stopReason: this.#stopReasons.size === 0 ? null : [...this.#stopReasons].join("\n"),
      verdicts: this.#verdicts,
    };
  }
}
