import { HookError } from "../errors.ts";
import { patienceOf } from "../executors/run-clock.ts";
import { usageError } from "./verb.ts";

/** `--patience`: how long the agent waits for an answer. */

export const PATIENCE_OPTION = { patience: { type: "string" } } as const;

const LEAST_MS = 1_000;
const MOST_MS = 86_400_000;

/** Returns `--patience` in milliseconds. Throws a usage error unless the time is between one second and one day. */
export function patienceMsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number = "", unit = "s"] = /^(\d+(?:\.\d+)?)(s|ms)?$/.exec(text) ?? [];
  const milliseconds = number === "" ? Number.NaN : Number(number) * (unit === "ms" ? 1 : 1_000);
  if (milliseconds >= LEAST_MS && milliseconds <= MOST_MS) return milliseconds;
  throw usageError(
    `--patience is ${JSON.stringify(text)}; expected seconds (60 or 60s) or milliseconds (60000ms), from a second to a day`,
  );
}

/** Ends the work before dispatch when the agent's patience ends. During dispatch, the engine watches the time. */
export class PatienceWatch {
  readonly #startedAt: number;
  readonly #pending = new Set<string>();
  #patienceMs: number;
  #timer: NodeJS.Timeout | undefined;
  #end: (error: HookError) => void = () => {};
  readonly #ended: Promise<never>;

  /** `startedAt` is when the agent began to wait, on the clock of `performance.now()`. */
  constructor(startedAt: number, patienceMs: number) {
    this.#startedAt = startedAt;
    this.#patienceMs = patienceMs;
    this.#ended = new Promise((_, reject) => {
      this.#end = reject;
    });
    this.#ended.catch(() => {});
    this.#arm();
  }

  /** The agent's patience. Set again when the agent or the event is known. */
  set patienceMs(patienceMs: number) {
    this.#patienceMs = patienceMs;
    this.#arm();
  }

  /** Settles as `work` does, or rejects when patience ends. `what` completes the message "while it waited for …". */
  async during<Value>(what: string, work: Promise<Value>): Promise<Value> {
    this.#pending.add(what);
    try {
      return await Promise.race([work, this.#ended]);
    } finally {
      this.#pending.delete(what);
    }
  }

  /** Waits for `work`, at most for half of the time that is reserved for delivering the verdict. */
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

  /** Milliseconds that remain for the work after the verdict. */
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
