import { type Dirent, lstatSync, readdirSync, utimesSync } from "node:fs";
import { rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { makeFolderSync } from "../files/make-folder.ts";
import { type HeldMutex, peek } from "./held-mutex.ts";
import { hasEnded } from "./mutex-holder.ts";
import { isPrivateFolder } from "./private-folder.ts";
import { holderOf } from "./scope-files.ts";
import { asStateError } from "./state-errors.ts";
import { takeMutex } from "./take-mutex.ts";
import type { StoredValues } from "./values-file.ts";

/** The owner of values, as names of folders. */
export interface KeptScope {
  /**
   * The layer. Values of one layer are never removed to free space for another layer, because rules of a repository
   * could otherwise erase the values of other rules.
   */
  readonly layer: string;
  readonly session: string;
  readonly rule: string;
}

export interface DiskScopesLimits {
  /** Maximum number of sessions per layer. Default: 1,024. */
  readonly maxSessions?: number | undefined;
  /** Maximum size of all files of a layer. Default: 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** The age after which unused sessions are removed. Default: 30 days. */
  readonly maxAgeMs?: number | undefined;
}

/** Growth by 1/16 of the limit triggers a check of the sizes. Smaller growth has a proportional chance. */
const SHARES = 16;
const LEAST_CHANCE = 1 / 64;

interface TakeOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whether to wait. Default: `true`. With `false`, resolves to `undefined` if another process holds the mutex. */
  readonly waits?: boolean | undefined;
}

/**
 * Values that processes share on disk, by layer, session and rule. One process at a time holds the mutex of a scope.
 */
export class DiskScopes {
  readonly #folder: string;
  readonly #maxSessions: number;
  readonly #maxBytes: number;
  readonly #maxAgeMs: number;
  #isFreeingSpace = false;

  constructor(
    folder: string,
    { maxSessions = 1_024, maxBytes = 64 * 1_048_576, maxAgeMs = 30 * 86_400_000 }: DiskScopesLimits = {},
  ) {
    this.#folder = folder;
    this.#maxSessions = maxSessions;
    this.#maxBytes = maxBytes;
    this.#maxAgeMs = maxAgeMs;
  }

  /** Takes the mutex of a scope. Rejects with a remedy if the folder cannot be used, and if the signal fires. */
  async take(scope: KeptScope, { signal, waits = true }: TakeOptions = {}): Promise<HeldMutex | undefined> {
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
      const mutex = await takeMutex(folder, { label: scope.rule, signal, waits, makeParent });
      if (mutex === undefined) return undefined;
      touch(session);
      mutex.onGrowth = async (bytes) => {
        // Only one call frees space, because concurrent calls would all remove the same sessions.
        if (this.#isFreeingSpace) return;
        this.#isFreeingSpace = true;
        await this.#freeSpace(scope, bytes).finally(() => {
          this.#isFreeingSpace = false;
        });
      };
      if (isNew) mutex.grows();
      return mutex;
    } catch (error) {
      throw asStateError(error, session);
    }
  }

  /** Reads the values without the mutex. Returns `undefined` if there are no readable values. */
  async peek(scope: KeptScope): Promise<StoredValues | undefined> {
    try {
      if (!this.#check(scope)) return undefined;
      return await peek(join(this.#sessionFolder(scope), scope.rule), scope.rule);
    } catch {
      return undefined;
    }
  }

  /** Removes a session from all layers. Waits for other processes' mutexes until the signal fires. */
  async forget(session: string, signal: AbortSignal): Promise<void> {
    if (!isPrivateFolder(this.#folder)) return;
    for (const layer of foldersIn(this.#folder)) await this.#forget(layer, session, { signal, waits: true });
  }

  /** Whether the session's folder exists. Throws if other users have access to one of the folders. */
  #check({ layer, session }: Omit<KeptScope, "rule">): boolean {
    const path = [this.#folder, join(this.#folder, layer), join(this.#folder, layer, session)];
    return path.every(isPrivateFolder);
  }

  #sessionFolder({ layer, session }: Omit<KeptScope, "rule">): string {
    return join(this.#folder, layer, session);
  }

  /** Removes a session's scopes. Without `waits`, scopes that are in use remain. */
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
        await (await takeMutex(path, { label: name, signal, waits }))?.remove();
      } catch {
        // The scope is damaged, so its mutex cannot be taken.
        if (signal?.aborted !== true) await rm(path, { recursive: true, force: true });
      }
    }
    await rmdir(folder).catch(() => {});
  }

  /**
   * Removes the least recently used sessions, except `current` and sessions in use. Small growth is usually not
   * checked, because checking all sessions takes milliseconds. Therefore removal goes a little below the limits.
   */
  async #freeSpace({ layer, session: current }: KeptScope, grownBytes: number): Promise<void> {
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
    // Another process has removed the folder.
    return [];
  }
}

/** Marks the session as the most recently used session. */
function touch(session: string): void {
  try {
    const now = new Date();
    utimesSync(session, now, now);
  } catch {
    // The session was removed at the same time, so taking its mutex fails with an error.
  }
}

/** Returns when a session was last used. Returns 0 if its folder does not exist. */
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
