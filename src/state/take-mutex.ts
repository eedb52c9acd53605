import { rmSync } from "node:fs";
import { lstat, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { damaged, HeldMutex, SIGN_MS, SILENT_MS } from "./held-mutex.ts";
import { hasEnded, newHolder, pidOf } from "./mutex-holder.ts";
import { createHeld, type Head, headName, type Look, lookAt, newTicket, renameHead, ticketsOf } from "./scope-files.ts";
import { stateError } from "./state-errors.ts";

export interface TakeOptions {
  /** Identifies the owner of the values; see `writeValues`. */
  readonly label: string;
  readonly signal?: AbortSignal | undefined;
  /** Whether to wait while another process holds the mutex. */
  readonly waits: boolean;
  /** Creates the parents of the folder. If `makeParent` is absent, a missing scope is not created. */
  makeParent?(): void;
}

/**
 * How often a folder without exactly one head is read before it counts as damaged. A concurrent rename may hide a name.
 */
const LOOKS = 8;
/** How often creating a scope is tried while other processes create and remove it. */
const DRAFTS = 100;
/** Poll interval of the first process in the queue, in milliseconds. */
const LOOK_MS = 3;
/** Estimated time for a step forward in the queue. A process further back polls less often. */
const STEP_MS = 10;
const MAX_SLEEP_MS = 300;
/** The time after which any waiting process takes a free mutex, in case the first in the queue was stopped. */
const STUCK_MS = 150;

/**
 * Takes the mutex of a scope. Waiting processes queue with tickets in order of arrival, so that they do not all try at
 * once. Resolves to `undefined` if another process holds the mutex and this call does not wait, or if the scope does
 * not exist and is not to be created. Rejects if the signal fires.
 */
export function takeMutex(folder: string, options: TakeOptions): Promise<HeldMutex | undefined> {
  return new Taking(folder, options).take();
}

class Taking {
  readonly #folder: string;
  readonly #options: TakeOptions;
  readonly #holder = newHolder();
  readonly #begun = performance.now();
  #ticket: string | undefined;
  #strangeLooks = 0;
  #failedDrafts = 0;
  /** Why this call waits. `undefined` before the first wait. */
  #why: string | undefined;
  #free: { readonly name: string; readonly since: number } | undefined;

  constructor(folder: string, options: TakeOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /**
   * Rejects in the same turn in which the signal fires, because the caller waits only briefly for this error. A mutex
   * that is taken after that is released.
   */
  take(): Promise<HeldMutex | undefined> {
    const { signal } = this.#options;
    const taken = this.#take();
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        if (this.#why === undefined) return;
        reject(this.#stopped());
        this.#leaveQueue();
        taken.then((mutex) => mutex?.release()).catch(() => {});
      };
      signal?.addEventListener("abort", stop, { once: true });
      taken.then(resolve, reject).finally(() => signal?.removeEventListener("abort", stop));
    });
  }

  async #take(): Promise<HeldMutex | undefined> {
    const { waits, label, makeParent } = this.#options;
    try {
      for (;;) {
        const look = await lookAt(this.#folder);
        if (look === undefined) {
          if (makeParent === undefined) return undefined;
          makeParent();
          const made = await createHeld(this.#folder, this.#holder);
          if (made !== undefined) return await HeldMutex.open(this.#folder, label, made, undefined);
          this.#failedDrafts += 1;
          if (this.#failedDrafts >= DRAFTS) throw stateError(this.#folder, "cannot be created", "remove it");
          await this.#sleep(LOOK_MS, "is being created by other processes");
          continue;
        }
        const head = this.#headIn(look);
        if (head === undefined) {
          await this.#sleep(LOOK_MS, "has no head");
          continue;
        }
        const isFree = head.holder === undefined || (await this.#isGone(head));
        const ahead = await this.#ahead();
        if (isFree && (ahead === 0 || this.#isStuck(head))) {
          const held: Head = { ...head, holder: this.#holder };
          if (await renameHead(this.#folder, head, held)) return await HeldMutex.open(this.#folder, label, held, look);
          continue;
        }
        if (!waits) return undefined;
        const pid = head.holder === undefined ? "none" : pidOf(head.holder);
        this.#why = `is in use by process ${pid}, and ${ahead} others are waiting ahead of this one`;
        await this.#queueUp();
        await this.#sleep(Math.min(MAX_SLEEP_MS, Math.max(LOOK_MS, ahead * STEP_MS)));
      }
    } finally {
      this.#leaveQueue();
    }
  }

  #headIn({ heads }: Look): Head | undefined {
    const [head, ...others] = heads;
    if (head !== undefined && others.length === 0) {
      this.#strangeLooks = 0;
      return head;
    }
    this.#strangeLooks += 1;
    if (this.#strangeLooks >= LOOKS) throw damaged(this.#folder, `${heads.length} heads instead of 1`);
    return undefined;
  }

  /** Whether the holder has ended, or has not signed its head for `SILENT_MS`. */
  async #isGone(head: Head): Promise<boolean> {
    if (hasEnded(head.holder as string)) return true;
    if (performance.now() - this.#begun < SIGN_MS) return false;
    try {
      const { mtimeMs, ctimeMs } = await lstat(join(this.#folder, headName(head)));
      return Date.now() - Math.max(mtimeMs, ctimeMs) > SILENT_MS;
    } catch {
      return false;
    }
  }

  /** Returns how many processes wait before this process. Removes tickets of ended processes at the front. */
  async #ahead(): Promise<number> {
    const tickets = await ticketsOf(this.#folder);
    const own = tickets.findIndex(({ path }) => path === this.#ticket);
    const before = own < 0 ? tickets : tickets.slice(0, own);
    let ended = 0;
    for (const { path, holder } of before) {
      if (!hasEnded(holder)) break;
      ended += 1;
      await rm(path, { force: true });
    }
    return before.length - ended;
  }

  #isStuck(head: Head): boolean {
    const name = headName(head);
    if (this.#free?.name !== name) this.#free = { name, since: performance.now() };
    return performance.now() - this.#free.since > STUCK_MS;
  }

  async #queueUp(): Promise<void> {
    if (this.#ticket !== undefined) return;
    this.#ticket = newTicket(this.#folder, this.#holder);
    // If the ticket cannot be written, this process only waits longer.
    await writeFile(this.#ticket, "", { flag: "wx", mode: 0o600 }).catch(() => {});
  }

  /** Leaves the queue synchronously, so that a caller whose time is up gets the error without further delay. */
  #leaveQueue(): void {
    if (this.#ticket === undefined) return;
    try {
      rmSync(this.#ticket, { force: true });
    } catch {
      // Other processes remove the ticket when this process has ended.
    }
  }

  async #sleep(ms: number, why = this.#why): Promise<void> {
    this.#why = why;
    await sleep(ms, undefined, { signal: this.#options.signal }).catch(() => {
      throw this.#stopped();
    });
  }

  #stopped(): Error {
    const waited = Math.round(performance.now() - this.#begun);
    return stateError(
      this.#folder,
      `${this.#why}; waited ${waited} ms`,
      "try again; if that does not help, remove it (the values stored there are lost)",
    );
  }
}
