import { rmSync } from "node:fs";
import { lstat, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createHeld,
  type Head,
  headName,
  type Look,
  lookAt,
  newTicket,
  renameHead,
  ticketsOf,
} from "./scope-folder.ts";
import { damaged, SIGN_MS, SILENT_MS, Turn } from "./turn.ts";
import { hasEnded, newHolder, pidOf } from "./turn-holder.ts";
import { unusable } from "./unusable.ts";

export interface TakeTerms {
  /** Says whose values they are: see `writeValues`. */
  readonly label: string;
  readonly signal?: AbortSignal | undefined;
  /** Whether to wait while another process has the turn. */
  readonly waits: boolean;
  /** Makes what is above the folder. Not given: a scope that does not exist is not made. */
  makeParent?(): void;
}

/** So often a folder without exactly one head is read again before it counts as damaged: a rename may hide a name. */
const LOOKS = 8;
/** A scope that other processes make and remove all the time is tried so often. */
const DRAFTS = 100;
/** How often the first in the queue looks. */
const LOOK_MS = 3;
/** A step forward in the queue takes about so long: whoever is further behind looks less often. */
const STEP_MS = 10;
const MAX_SLEEP_MS = 300;
/** A turn that is free for so long is taken by whoever sees it: the first in the queue may have been stopped. */
const STUCK_MS = 150;

/**
 * Takes the turn at a scope. Processes queue with tickets, in the order in which they came; the queue only keeps them
 * from trying all at once. Resolves to `undefined` if another process has the turn and this call does not wait, or if
 * there is no such scope and it is not to be made. Rejects when the signal fires.
 */
export function takeTurn(folder: string, terms: TakeTerms): Promise<Turn | undefined> {
  return new Taking(folder, terms).take();
}

class Taking {
  readonly #folder: string;
  readonly #terms: TakeTerms;
  readonly #holder = newHolder();
  readonly #begun = performance.now();
  #ticket: string | undefined;
  #strangeLooks = 0;
  #failedDrafts = 0;
  #free: { readonly name: string; readonly since: number } | undefined;

  constructor(folder: string, terms: TakeTerms) {
    this.#folder = folder;
    this.#terms = terms;
  }

  async take(): Promise<Turn | undefined> {
    const { waits, label, makeParent } = this.#terms;
    try {
      for (;;) {
        const look = await lookAt(this.#folder);
        if (look === undefined) {
          if (makeParent === undefined) return undefined;
          makeParent();
          const made = await createHeld(this.#folder, this.#holder);
          if (made !== undefined) return await Turn.open(this.#folder, label, made, undefined);
          this.#failedDrafts += 1;
          if (this.#failedDrafts >= DRAFTS) throw unusable(this.#folder, "cannot be made", "remove it");
          await this.#sleep(LOOK_MS, "is being made by other processes");
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
          if (await renameHead(this.#folder, head, held)) return await Turn.open(this.#folder, label, held, look);
          continue;
        }
        if (!waits) return undefined;
        await this.#queueUp();
        const pid = head.holder === undefined ? "none" : pidOf(head.holder);
        await this.#sleep(
          Math.min(MAX_SLEEP_MS, Math.max(LOOK_MS, ahead * STEP_MS)),
          `is in use by process ${pid}, and ${ahead} others are waiting before this one`,
        );
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

  /** Whether the holder has ended, or has not been heard of for long. */
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

  /** How many processes wait and came before. Removes the tickets of those at the front that have ended. */
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
    // Without a ticket it only waits longer.
    await writeFile(this.#ticket, "", { flag: "wx", mode: 0o600 }).catch(() => {});
  }

  /** At once: a caller whose time is up waits no longer than it must for the reason. */
  #leaveQueue(): void {
    if (this.#ticket === undefined) return;
    try {
      rmSync(this.#ticket, { force: true });
    } catch {
      // Others remove it when this process has ended.
    }
  }

  async #sleep(ms: number, why: string): Promise<void> {
    try {
      await sleep(ms, undefined, { signal: this.#terms.signal });
    } catch {
      const waited = Math.round(performance.now() - this.#begun);
      throw unusable(
        this.#folder,
        `${why}; waited ${waited} ms`,
        "try again; if that does not help, remove it (what was kept there is lost)",
      );
    }
  }
}
