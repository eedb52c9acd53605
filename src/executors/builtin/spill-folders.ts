import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isOurs } from "../../cache/cache-folder.ts";

/**
 * Folders for what is too long to be shown, one for each session. They stand under a name that everybody knows in a
 * folder that everybody may write to, and so are used only while they belong to the user and nobody else may enter.
 * What a session is called is not part of any path, but a digest of it is.
 */

export interface SpillFolder {
  /** The path of a new file with that text; `undefined` when it cannot be written. */
  write(text: string): Promise<string | undefined>;
  /** Takes back files of which nobody will hear. */
  discard(files: readonly string[]): Promise<void>;
  /** A short text that was kept under the name; `undefined` when there is none. */
  recall(name: string): Promise<string | undefined>;
  /** Keeps a short text under a name of letters, digits and dashes, as long as there is room. */
  keep(name: string, text: string): Promise<void>;
  /** Forgets what was kept under names. */
  forget(): Promise<void>;
  /** The end of the session: nothing remains. */
  remove(): Promise<void>;
}

/** Of a session that was never ended, when nothing was written for so long. */
const LEFT_BEHIND_MS = 7 * 86_400_000;
const MAX_KEPT = 4_096;
const MAX_KEPT_BYTES = 1_024;
const KEPT = ".kept";
/** Another engine that closes takes empty folders with it, though this one is about to write there. */
const MAX_ATTEMPTS = 20;

export class SpillFolders {
  readonly #root: string;
  /** What this engine has written. */
  readonly #files = new Set<string>();
  #isTidied = false;

  constructor(root = path.join(tmpdir(), `hookbox-results-${process.getuid?.() ?? "user"}`)) {
    this.#root = root;
  }

  async of(sessionId: string): Promise<SpillFolder | undefined> {
    if ((await makeOwnFolder(this.#root)) === false) return undefined;
    if (!this.#isTidied) {
      this.#isTidied = true;
      await removeLeftBehind(this.#root);
    }
    const folder = path.join(this.#root, digestOf(sessionId));
    return {
      write: (text) => this.#write(folder, text),
      discard: (files) => this.#discard(files),
      recall: (name) => recall(path.join(folder, name + KEPT)),
      keep: (name, text) => this.#keep(folder, name, text),
      forget: () => this.#forget(folder),
      remove: async () => {
        for (const file of this.#files) if (path.dirname(file) === folder) this.#files.delete(file);
        await rm(folder, { recursive: true, force: true }).catch(() => {});
      },
    };
  }

  /** Removes what was written for sessions that have not ended. Those of another process that shares them keep theirs. */
  async close(): Promise<void> {
    await this.#discard([...this.#files]);
  }

  /** With the folders, as far as nothing else is in them. */
  async #discard(files: readonly string[]): Promise<void> {
    for (const file of files) this.#files.delete(file);
    await Promise.all(files.map((file) => rm(file, { force: true }).catch(() => {})));
    for (const folder of new Set(files.map(path.dirname))) await rmdir(folder).catch(() => {});
    await rmdir(this.#root).catch(() => {});
  }

  async #write(folder: string, text: string): Promise<string | undefined> {
    const file = path.join(folder, `${randomBytes(8).toString("hex")}.txt`);
    return (await this.#create(folder, file, text)) ? file : undefined;
  }

  async #keep(folder: string, name: string, text: string): Promise<void> {
    const file = path.join(folder, name + KEPT);
    // Counted only when there is something new to keep.
    if ((await recall(file)) === undefined && (await keptIn(folder)).length >= MAX_KEPT) return;
    const draft = `${file}.${randomBytes(6).toString("hex")}`;
    if (!(await this.#create(folder, draft, text))) return;
    await rename(draft, file).then(
      () => this.#files.add(file),
      () => rm(draft, { force: true }),
    );
    this.#files.delete(draft);
  }

  async #forget(folder: string): Promise<void> {
    const files = (await keptIn(folder)).map((name) => path.join(folder, name));
    for (const file of files) this.#files.delete(file);
    await Promise.all(files.map((file) => rm(file, { force: true }).catch(() => {})));
  }

  async #create(folder: string, file: string, text: string): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      const created = await this.#createIn(folder, file, text);
      if (created !== "gone") return created;
      if (attempt === MAX_ATTEMPTS) return false;
    }
  }

  /** `wx`: neither a file nor a symbolic link that is there already. `gone`: the folder, or the one that it is in. */
  async #createIn(folder: string, file: string, text: string): Promise<boolean | "gone"> {
    for (const own of [this.#root, folder]) {
      const made = await makeOwnFolder(own);
      if (made !== true) return made;
    }
    try {
      const handle = await open(file, "wx", 0o600);
      this.#files.add(file);
      try {
        await handle.writeFile(text);
      } finally {
        await handle.close();
      }
      return true;
    } catch (error) {
      if (this.#files.delete(file)) await rm(file, { force: true }).catch(() => {});
      return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : false;
    }
  }
}

/** False for a folder that is somebody else's, that others may look into, or that is none. */
async function makeOwnFolder(folder: string): Promise<boolean | "gone"> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EEXIST") return code === "ENOENT" ? "gone" : false;
  }
  try {
    const stats = await lstat(folder);
    return stats.isDirectory() && isOurs(stats);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : false;
  }
}

async function recall(file: string): Promise<string | undefined> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await handle.stat();
      return size > MAX_KEPT_BYTES ? undefined : await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

async function keptIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(KEPT));
}

/** Sessions whose process died. A folder changes with each file that is put into it, so those at work are younger. */
async function removeLeftBehind(root: string): Promise<void> {
  const names = await readdir(root).catch(() => []);
  for (const name of names.filter((one) => /^[0-9a-f]{64}$/.test(one))) {
    const folder = path.join(root, name);
    const stats = await lstat(folder).catch(() => undefined);
    const isOld = stats?.isDirectory() === true && Date.now() - stats.mtimeMs > LEFT_BEHIND_MS;
    if (isOld) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

function digestOf(sessionId: string): string {
  return createHash("sha256").update(sessionId).digest("hex");
}
