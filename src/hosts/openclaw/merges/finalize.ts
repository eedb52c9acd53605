import { isObject, MalformedResult, type Merge, text } from "./merge.ts";

/** How to ask the model for the next pass. */
interface FinalizeRetry {
  readonly instruction: string;
  readonly [field: string]: unknown;
}

export interface AgentFinalizeResult {
  readonly action: "continue" | "revise" | "finalize";
  readonly reason?: string;
  readonly retry?: FinalizeRetry;
  /** All requested retries, in order. The property is not enumerable. */
  readonly retryCandidates?: readonly FinalizeRetry[];
}

const STRENGTH = ["continue", "revise", "finalize"] as const;

/** Merges decisions. `finalize` outranks `revise`, which outranks `continue`. Blank lines separate the reasons. */
export class FinalizeMerge implements Merge<AgentFinalizeResult> {
  #result: AgentFinalizeResult | undefined;
  readonly #candidates: FinalizeRetry[] = [];

  get result(): AgentFinalizeResult | undefined {
    if (this.#result?.action !== "revise" || this.#candidates.length === 0) return this.#result;
    const result = { ...this.#result, retry: this.#candidates[0] as FinalizeRetry };
    return Object.defineProperty(result, "retryCandidates", { value: [...this.#candidates], enumerable: false });
  }

  take(said: Readonly<Record<string, unknown>>): boolean {
    const action = STRENGTH.find((one) => one === (said["action"] ?? "continue"));
    if (action === undefined) throw new MalformedResult(`action must be one of ${STRENGTH.join(", ")}`);
    const reason = text(said, "reason")?.trim();
    const given = reason === undefined || reason === "" ? {} : { reason };
    if (action === "revise") this.#addCandidate(said["retry"]);
    const before = this.#result;
    if (before === undefined || STRENGTH.indexOf(action) > STRENGTH.indexOf(before.action)) {
      this.#result = { action, ...given };
    } else if (action === "revise" && before.action === "revise") {
      const reasons = [before.reason, given.reason].filter((one) => one !== undefined);
      this.#result = { action, ...(reasons.length === 0 ? {} : { reason: reasons.join("\n\n") }) };
    }
    return false;
  }

  #addCandidate(retry: unknown): void {
    if (!isObject(retry) || typeof retry["instruction"] !== "string") return;
    const instruction = retry["instruction"].trim();
    if (instruction !== "") this.#candidates.push({ ...retry, instruction });
  }
}
