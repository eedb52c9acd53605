import type { Failure } from "../../outcome.ts";
import type { McpLimits } from "./limits.ts";

/** Limits how often a failing server is started again. */
export class Restarts {
  readonly #limits: McpLimits;
  readonly #now: () => number;
  #failedAt: number[] = [];
  #last = "";

  constructor(limits: McpLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  noteFailure({ message }: Failure): void {
    this.#failedAt = [...this.#recent(), this.#now()];
    this.#last = message;
  }

  /** Returns a failure if the server must not be started now. */
  refusal(): Failure | undefined {
    const { restarts: limit, restartWindowMs } = this.#limits;
    const recent = this.#recent();
    const [first] = recent;
    if (first === undefined || recent.length <= limit) return undefined;
    const waitMs = Math.ceil(first + restartWindowMs - this.#now());
    const message =
      `has failed ${recent.length} times within ${restartWindowMs} ms, over the limit of ${limit} restarts, ` +
      `and is left alone for another ${waitMs} ms; the last time: ${this.#last}`;
    return { kind: "unavailable", message, limit, value: recent.length };
  }

  #recent(): number[] {
    const since = this.#now() - this.#limits.restartWindowMs;
    return this.#failedAt.filter((at) => at > since);
  }
}
