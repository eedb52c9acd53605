import { type Dirent, lstatSync, readdirSync, utimesSync } from "node:fs";
import { rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { makeFolderSync } from "../files/make-folder.ts";
import type { KeptValues } from "./kept-values.ts";
import { isPrivateFolder } from "./private-folder.ts";
import { holderOf } from "./scope-folder.ts";
import { takeTurn } from "./take-turn.ts";
import { peek, type Turn } from "./turn.ts";
import { hasEnded } from "./turn-holder.ts";
import { asUnusable } from "./unusable.ts";

/** Whose values: names of folders. */
export interface KeptScope {
  /** What is kept for one layer is never removed to make room for another: a repository's rules could see to that. */
  readonly layer: string;
  readonly session: string;
  readonly rule: string;
}

export interface ScopeStoreLimits {
  /** Sessions of each layer. Default 1,024. */
  readonly maxSessions?: number | undefined;
  /** All files of a layer. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** Sessions that were not used for so long are removed. Default 30 days. */
  readonly maxAgeMs?: number | undefined;
}

/** Growth of one of so many parts of all that may be kept is always looked into. */
const SHARES = 16;
const LEAST_CHANCE = 1 / 64;

export interface TakeOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default `true`. Otherwise `undefined` if another process has the turn. */
  readonly waits?: boolean | undefined;
}

/** What processes keep for each other on disk: values by layer, session and rule. One process at a time has a scope. */
export class ScopeStore {
  readonly #folder: string;
  readonly #maxSessions: number;
  readonly #maxBytes: number;
  readonly #maxAgeMs: number;
  #isMakingRoom = false;

  constructor(
    folder: string,
    { maxSessions = 1_024, maxBytes = 64 * 1_048_576, maxAgeMs = 30 * 86_400_000 }: ScopeStoreLimits = {},
  ) {
    this.#folder = folder;
    this.#maxSessions = maxSessions;
    this.#maxBytes = maxBytes;
    this.#maxAgeMs = maxAgeMs;
  }

  /** Rejects with what is wrong and how to mend it, and when the signal fires. */
  async take(scope: KeptScope, { signal, waits = true }: TakeOptions = {}): Promise<Turn | undefined> {
    const session = this.#sessionFolder(scope);
    const folder = join(session, scope.rule);
    let isNew = false;
    const makeParent = (): void => {
      isNew ||= !this.#check(scope);
      makeFolderSync(session, 0o700);
      this.#check(scope);
    };
    try {
      if (this.#check(scope)) isPrivateFolder(folder);
      const turn = await takeTurn(folder, { label: scope.rule, signal, waits, makeParent });
      if (turn === undefined) return undefined;
      touch(session);
      turn.onGrowth = async (bytes) => {
        // Calls at the same moment would all remove the same.
        if (this.#isMakingRoom) return;
        this.#isMakingRoom = true;
        await this.#makeRoom(scope, bytes).finally(() => {
          this.#isMakingRoom = false;
        });
      };
      if (isNew) turn.grows();
      return turn;
    } catch (error) {
      throw asUnusable(error, session);
    }
  }

  /** What is kept, without waiting for the turn; `undefined` if there is nothing that can be read. */
  async peek(scope: KeptScope): Promise<KeptValues | undefined> {
    try {
      if (!this.#check(scope)) return undefined;
      return await peek(join(this.#sessionFolder(scope), scope.rule), scope.rule);
    } catch {
      return undefined;
    }
  }

  /** Removes a session of all layers. Waits for turns that others have, until the signal fires. */
  async forget(session: string, signal: AbortSignal): Promise<void> {
    if (!isPrivateFolder(this.#folder)) return;
    for (const layer of foldersIn(this.#folder)) await this.#forget(layer, session, { signal, waits: true });
  }

  /** Whether the session's folder exists. Throws if one of the folders is not the user's own. */
  #check({ layer, session }: Omit<KeptScope, "rule">): boolean {
    const path = [this.#folder, join(this.#folder, layer), join(this.#folder, layer, session)];
    return path.every(isPrivateFolder);
  }

  #sessionFolder({ layer, session }: Omit<KeptScope, "rule">): string {
    return join(this.#folder, layer, session);
  }

  /** What is in use stays. */
  async #forget(layer: string, session: string, { signal, waits }: TakeOptions & { waits: boolean }): Promise<void> {
    const folder = this.#sessionFolder({ layer, session });
    if (!this.#check({ layer, session })) return;
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const holder = holderOf(name);
      if (holder !== undefined) {
        if (hasEnded(holder)) await rm(path, { recursive: true, force: true });
        continue;
      }
      try {
        await (await takeTurn(path, { label: name, signal, waits }))?.remove();
      } catch {
        // Damaged, so that nobody can take the turn.
        if (signal?.aborted !== true) await rm(path, { recursive: true, force: true });
      }
    }
    await rmdir(folder).catch(() => {});
  }

  /**
   * Sessions that were not used for the longest time go first; never `current`, nor one that is in use. To look at all
   * sessions takes milliseconds, so small growth is mostly let pass, and what is too much is removed with some more.
   */
  async #makeRoom({ layer, session: current }: KeptScope, grownBytes: number): Promise<void> {
    const folder = join(this.#folder, layer);
    const names = foldersIn(folder);
    const chance = Math.max(LEAST_CHANCE, (SHARES * grownBytes) / this.#maxBytes);
    if (names.length <= this.#maxSessions && Math.random() >= chance) return;
    const sessions = names
      .map((session) => ({ session, usedAtMs: usedAt(join(folder, session)), bytes: sizeOf(join(folder, session)) }))
      .sort((a, b) => a.usedAtMs - b.usedAtMs);
    let count = sessions.length;
    let bytes = sessions.reduce((sum, one) => sum + one.bytes, 0);
    const kept = count > this.#maxSessions || bytes > this.#maxBytes ? 1 - 1 / SHARES : 1;
    for (const one of sessions) {
      const isOld = Date.now() - one.usedAtMs > this.#maxAgeMs;
      if (!isOld && count <= kept * this.#maxSessions && bytes <= kept * this.#maxBytes) return;
      if (one.session === current) continue;
      await this.#forget(layer, one.session, { waits: false });
      if (usedAt(join(folder, one.session)) > 0) continue;
      count -= 1;
      bytes -= one.bytes;
    }
  }
}

const foldersIn = (folder: string): string[] =>
  entriesOf(folder).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

const filesIn = (folder: string): string[] =>
  entriesOf(folder).flatMap((entry) => (entry.isFile() ? [join(folder, entry.name)] : []));

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Another process has removed it.
    return [];
  }
}

/** The session is the one that was used last. */
function touch(session: string): void {
  try {
    const now = new Date();
    utimesSync(session, now, now);
  } catch {
    // It was removed in this moment; the turn in it then fails by name.
  }
}

/** 0 if there is no such folder. */
function usedAt(session: string): number {
  return lstatSync(session, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function sizeOf(session: string): number {
  let bytes = 0;
  for (const rule of foldersIn(session)) {
    for (const name of filesIn(join(session, rule))) bytes += lstatSync(name, { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}
