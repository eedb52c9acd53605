import { HookError } from "../errors.ts";
import { patienceOf } from "../executors/run-clock.ts";
import { usageError } from "./verb.ts";

/** How long the agent waits for an answer, on the command line. */

export const PATIENCE_OPTION = { patience: { type: "string" } } as const;

const LEAST_MS = 1_000;
const MOST_MS = 86_400_000;

/** Milliseconds. Throws a usage error for everything that is not a time of a second to a day. */
export function patienceMsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number = "", unit = "s"] = /^(\d+(?:\.\d+)?)(s|ms)?$/.exec(text) ?? [];
  const milliseconds = number === "" ? Number.NaN : Number(number) * (unit === "ms" ? 1 : 1_000);
  if (milliseconds >= LEAST_MS && milliseconds <= MOST_MS) return milliseconds;
  throw usageError(
    `--patience is ${JSON.stringify(text)}; expected seconds (60 or 60s) or milliseconds (60000ms), from a second to a day`,
  );
}

/** Watches the time before an event's rules are asked: the engine does so from then on. */
export class PatienceWatch {
  readonly #startedAt: number;
  readonly #pending = new Set<string>();
  #patienceMs: number;
  #timer: NodeJS.Timeout | undefined;
  #end: (error: HookError) => void = () => {};
  readonly #ended: Promise<never>;

  /** `startedAt`: `performance.now()` from which the agent waits. */
  constructor(startedAt: number, patienceMs: number) {
    this.#startedAt = startedAt;
    this.#patienceMs = patienceMs;
    this.#ended = new Promise((_, reject) => {
      this.#end = reject;
    });
    this.#ended.catch(() => {});
    this.#arm();
  }

  /** Once more is known of the agent or its event. */
  set patienceMs(patienceMs: number) {
    this.#patienceMs = patienceMs;
    this.#arm();
  }

  /** Resolves as `work` does, but rejects when patience ends. `what` completes "while it waited for". */
  async during<Value>(what: string, work: Promise<Value>): Promise<Value> {
    this.#pending.add(what);
    try {
      return await Promise.race([work, this.#ended]);
    } finally {
      this.#pending.delete(what);
    }
  }

  /** Resolves when `work` does, or halfway through the time that is kept for delivering the verdict. */
  async atMost(work: Promise<unknown>): Promise<"done" | "late"> {
    this.stop();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), this.deliveryLeftMs);
    });
    try {
      return await Promise.race([work.then(() => "done" as const), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Milliseconds in which what is left to do after the verdict has to be done. */
  get deliveryLeftMs(): number {
    const { patienceMs, answerMs } = patienceOf(this.#patienceMs, this.#startedAt);
    return Math.max(0, (patienceMs + answerMs) / 2 - (performance.now() - this.#startedAt));
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const { answerMs } = patienceOf(this.#patienceMs, this.#startedAt);
    const leftMs = answerMs - (performance.now() - this.#startedAt);
    this.#timer = setTimeout(() => this.#end(this.#error()), Math.max(0, leftMs));
  }

  #error(): HookError {
    const { patienceMs, answerMs } = patienceOf(this.#patienceMs, this.#startedAt);
    const spentMs = Math.round(performance.now() - this.#startedAt);
    const message =
      `no answer within the event's patience of ${Math.round(patienceMs)} ms, less ${Math.round(patienceMs - answerMs)} ms ` +
      `for delivering it: after ${spentMs} ms hookbox still waited for ${[...this.#pending].join(" and for ")}`;
    return new HookError("HOOK_PATIENCE_ENDED", message, {
      hint: "if the machine is only slow, make the agent's timeout and --patience longer",
    });
  }
}
