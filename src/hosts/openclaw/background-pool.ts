import { type Log, logText, safeText } from "./log-text.ts";

const MAX_AT_ONCE = 16;
const MAX_WAITING = 256;
const NOTED_AFTER_MS = 2_000;

interface Job {
  readonly what: string;
  readonly run: () => Promise<unknown>;
}

/** Runs work for which no caller waits. Drops work above the limit with a warning. */
export class BackgroundPool {
  readonly #log: Log;
  readonly #waiting: Job[] = [];
  #atWork = 0;
  #idle: (() => void)[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /** Adds work. Returns `false` if the work is dropped because the queue is full. */
  add(what: string, run: () => Promise<unknown>): boolean {
    if (this.#atWork < MAX_AT_ONCE) {
      void this.#work({ what, run });
      return true;
    }
    if (this.#waiting.length >= MAX_WAITING) {
      this.#log.warn(safeText(`${what} was dropped: ${MAX_WAITING} others are waiting`));
      return false;
    }
    this.#waiting.push({ what, run });
    return true;
  }

  /** Resolves when no work is left. */
  settled(): Promise<void> {
    if (this.#atWork === 0) return Promise.resolve();
    return new Promise((resolve) => void this.#idle.push(resolve));
  }

  async #work(first: Job): Promise<void> {
    this.#atWork += 1;
    for (let job: Job | undefined = first; job !== undefined; job = this.#waiting.shift()) await this.#one(job);
    this.#atWork -= 1;
    if (this.#atWork > 0) return;
    for (const resolve of this.#idle) resolve();
    this.#idle = [];
  }

  async #one({ what, run }: Job): Promise<void> {
    const late = (): void => this.#log.warn(safeText(`${what} has not ended after ${NOTED_AFTER_MS}ms`));
    const timer = setTimeout(late, NOTED_AFTER_MS);
    try {
      await run();
    } catch (error) {
      this.#log.error(safeText(`${what} failed: ${logText(error)}`));
    } finally {
      clearTimeout(timer);
    }
  }
}
