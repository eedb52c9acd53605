import { createHash, randomBytes } from "node:crypto";
import { constants, statSync } from "node:fs";
import { lstat, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { makeFolder } from "../files/make-folder.ts";
import { packageInfo } from "../package-info.ts";
import { ownFolder } from "./home-folder.ts";

/**
 * Results that are dear to compute, kept on disk for the next process. Whoever can write here can exchange a guard
 * for another, so the folder has to be the user's own and nobody else's; and an entry carries a digest of itself, so
 * that a torn or rotten one is computed anew. A cache that cannot be used is no error: everything works without it.
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

  /** What was put under an equal key by this very build, or `undefined`. */
  async get(key: unknown): Promise<Buffer | undefined> {
    if (!(await this.#isUsable())) return undefined;
    try {
      const path = this.#path(key);
      const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        const stats = await file.stat();
        if (!stats.isFile() || stats.size > MAX_ENTRY_BYTES || !isOurs(stats)) return undefined;
        // In one piece: an admitted module is a megabyte.
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(stats.size), 0, stats.size, 0);
        return bytesRead === stats.size ? unseal(buffer, basename(path)) : undefined;
      } finally {
        await file.close();
      }
    } catch {
      return undefined;
    }
  }

  /** Nobody has to wait for the disk but a process that is about to end: see {@link settled}. */
  put(key: unknown, content: Uint8Array): Promise<void> {
    const write = this.#write(key, content).finally(() => this.#writes.delete(write));
    this.#writes.add(write);
    return write;
  }

  /** Resolves when everything that was put so far is on the disk, or has failed to get there. */
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
      // A full disk, a read-only home: the next process computes it again.
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

  /** The oldest go first. What was not put here stays: the folder may be one that the user keeps other things in. */
  async #prune(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => this.#isOwn(name));
    if (names.length <= MAX_ENTRIES) return;
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name);
        // Another process may have taken it out meanwhile.
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

  /** An entry, or the draft of one. */
  #isOwn(name: string): boolean {
    const [digest = "", kind, draft = "", ...rest] = name.split(".");
    return (
      /^[0-9a-f]{64}$/.test(digest) && `.${kind}` === this.#suffix && /^[0-9a-f]*$/.test(draft) && rest.length === 0
    );
  }
}

const MAX_ENTRY_BYTES = 64 * 1_048_576;
const MAX_ENTRIES = 64;

/** `$XDG_CACHE_HOME/hookbox`, or `~/.cache/hookbox`. */
export function defaultCacheFolder(): string {
  return ownFolder("XDG_CACHE_HOME", ".cache");
}

/** Whether nobody else may write to a file or folder. */
export function isOurs({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  // Windows has neither; there a home directory is private by its access list.
  if (process.getuid === undefined) return true;
  return uid === process.getuid() && (mode & 0o077) === 0;
}

const DIGEST_LENGTH = 64;

export function sha256(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}

/** The content with a digest of it and of the entry's name in front: under another name it is not what was put. */
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

/** Another version, or another build of the same, shares nothing: what it would compute may differ. */
function buildStamp(): string {
  if (stamp === undefined) {
    stamp = `${packageInfo().version} ${statSync(new URL(import.meta.url)).mtimeMs}`;
  }
  return stamp;
}
