import { isObject, type Merge } from "./merge.ts";

export interface AgentRunResult {
  readonly outcome: "pass" | "block";
  /** The reason for the log. */
  readonly reason?: string;
  /** The message for the user. */
  readonly message?: string;
}

/** Merges results of `before_agent_run`. The run continues only if handlers return nothing or `{ outcome: "pass" }`. */
export class AgentRunMerge implements Merge<AgentRunResult> {
  readonly takesAnything = true;
  #result: AgentRunResult | undefined;

  get result(): AgentRunResult | undefined {
    return this.#result;
  }

  take(said: unknown): boolean {
    if (isObject(said) && said["outcome"] === "pass") {
      this.#result = { outcome: "pass" };
      return false;
    }
    if (!isObject(said) || said["outcome"] !== "block") {
      this.#result = { outcome: "block", reason: "invalid decision" };
      return true;
    }
    const { reason, message } = said;
    this.#result = {
      outcome: "block",
      ...(typeof reason === "string" ? { reason } : {}),
      ...(typeof message === "string" ? { message } : {}),
    };
    return true;
  }
}
