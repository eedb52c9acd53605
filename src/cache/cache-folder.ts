import { createHash, randomBytes } from "node:crypto";
import { constants, statSync } from "node:fs";
import { lstat, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { makeFolder } from "../files/make-folder.ts";
import { packageInfo } from "../package-info.ts";
import { ownFolder } from "./home-folder.ts";

/**
 * Expensive results, kept on disk for the next process. A process that can write here can replace a guard, so the
 * folder must belong to the user and be closed to others. Each entry has a digest of itself, so a damaged entry is
 * computed again. Without a usable cache, everything is computed.
 */
export class CacheFolder {
  readonly #folder: string;
  readonly #suffix: string;
  readonly #writes = new Set<Promise<void>>();
  #usable: Promise<boolean> | undefined;

  /** `kind` separates entries of different meaning in one folder. */
  constructor(folder: string, kind: string) {
    this.#folder = folder;
    this.#suffix = `.${kind}`;
  }

  /** Returns the content that the same build stored under an equal key, or `undefined`. */
  async get(key: unknown): Promise<Buffer | undefined> {
    if (!(await this.#isUsable())) return undefined;
    try {
      const path = this.#path(key);
      const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        const stats = await file.stat();
        if (!stats.isFile() || stats.size > MAX_ENTRY_BYTES || !isOurs(stats)) return undefined;
        // The file is read in one call, because an admitted module has about a megabyte.
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(stats.size), 0, stats.size, 0);
        return bytesRead === stats.size ? unseal(buffer, basename(path)) : undefined;
      } finally {
        await file.close();
      }
    } catch {
      return undefined;
    }
  }

  /** Stores an entry. Callers need not await the write, but a process that is about to end awaits {@link settled}. */
  put(key: unknown, content: Uint8Array): Promise<void> {
    const write = this.#write(key, content).finally(() => this.#writes.delete(write));
    this.#writes.add(write);
    return write;
  }

  /** Resolves when every earlier `put` has finished or failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#writes);
  }

  async #write(key: unknown, content: Uint8Array): Promise<void> {
    if (content.byteLength > MAX_ENTRY_BYTES) return;
    try {
      await makeFolder(this.#folder, 0o700);
      this.#usable = undefined;
      if (!(await this.#isUsable())) return;
      const path = this.#path(key);
      const draft = `${path}.${randomBytes(6).toString("hex")}`;
      try {
        await writeFile(draft, seal(content, basename(path)), { flag: "wx", mode: 0o600 });
        await rename(draft, path);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
      await this.#prune();
    } catch {
      // The disk is full or the home is read-only, so the next process computes the entry again.
    }
  }

  #path(key: unknown): string {
    return join(this.#folder, sha256(JSON.stringify([buildStamp(), key])) + this.#suffix);
  }

  #isUsable(): Promise<boolean> {
    this.#usable ??= lstat(this.#folder).then(
      (stats) => stats.isDirectory() && isOurs(stats),
      () => false,
    );
    return this.#usable;
  }

  /** Removes the oldest entries. Leaves other files, because the user may keep files in this folder. */
  async #prune(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => this.#isOwn(name));
    if (names.length <= MAX_ENTRIES) return;
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name);
        // Another process may have removed the entry.
        return {
          path,
          time: await lstat(path).then(
            ({ mtimeMs }) => mtimeMs,
            () => 0,
          ),
        };
      }),
    );
    const old = files.sort((a, b) => b.time - a.time).slice(MAX_ENTRIES);
    await Promise.all(old.map(({ path }) => rm(path, { force: true })));
  }

  /** Whether a name is that of an entry or of its draft. */
  #isOwn(name: string): boolean {
    const [digest = "", kind, draft = "", ...rest] = name.split(".");
    return (
      /^[0-9a-f]{64}$/.test(digest) && `.${kind}` === this.#suffix && /^[0-9a-f]*$/.test(draft) && rest.length === 0
    );
  }
}

const MAX_ENTRY_BYTES = 64 * 1_048_576;
const MAX_ENTRIES = 64;

/** Returns `$XDG_CACHE_HOME/hookbox`, or `~/.cache/hookbox`. */
export function defaultCacheFolder(): string {
  return ownFolder("XDG_CACHE_HOME", ".cache");
}

/** Whether only the user may write to a file or folder. */
export function isOurs({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  // Windows has no user ids or modes, but an access list protects the home folder there.
  if (process.getuid === undefined) return true;
  return uid === process.getuid() && (mode & 0o077) === 0;
}

const DIGEST_LENGTH = 64;

export function sha256(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Prepends a digest of the content and of the entry's name, so that an entry is not valid under another name. */
export function seal(content: Uint8Array, name: string): Buffer {
  return Buffer.concat([Buffer.from(digestOf(content, name)), content]);
}

export function unseal(sealed: Buffer, name: string): Buffer | undefined {
  const content = sealed.subarray(DIGEST_LENGTH);
  return sealed.toString("latin1", 0, DIGEST_LENGTH) === digestOf(content, name) ? content : undefined;
}

function digestOf(content: Uint8Array, name: string): string {
  return createHash("sha256").update(`${name}\n`).update(content).digest("hex");
}

let stamp: string | undefined;

/** Identifies the build. Builds share no entries, because they may compute different results. */
function buildStamp(): string {
  if (stamp === undefined) {
    stamp = `${packageInfo().version} ${statSync(new URL(import.meta.url)).mtimeMs}`;
  }
  return stamp;
}
