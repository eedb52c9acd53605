import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isOurs } from "../../cache/cache-folder.ts";

/**
 * Folders for texts that are too long to show, one folder for each session. The folders have known names in a folder
 * that every user may write to. Therefore they are used only while they belong to the user and other users have no
 * access. A path contains a digest of the session's id, not the id itself.
 */

export interface SpillFolder {
  /** Writes the text to a new file and returns its path. Returns `undefined` if the text cannot be written. */
  write(text: string): Promise<string | undefined>;
  /** Deletes files that no answer mentions. */
  discard(files: readonly string[]): Promise<void>;
  /** Returns the short text that was kept under the name. `undefined`: there is none. */
  recall(name: string): Promise<string | undefined>;
  /** Keeps a short text under a name of letters, digits and dashes. Ignores the text once the limit is reached. */
  keep(name: string, text: string): Promise<void>;
  /** Deletes all texts that were kept under names. */
  forget(): Promise<void>;
  /** Deletes the folder at the end of the session. */
  remove(): Promise<void>;
}

/** The time without writes after which a session's folder is removed, in milliseconds. */
const LEFT_BEHIND_MS = 7 * 86_400_000;
const MAX_KEPT = 4_096;
const MAX_KEPT_BYTES = 1_024;
const KEPT = ".kept";
/** The maximum number of tries. Another engine that closes removes empty folders, possibly just before a write. */
const MAX_ATTEMPTS = 20;

export class SpillFolders {
  readonly #root: string;
  /** Files that this engine wrote. */
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

  /** Deletes the files of sessions that have not ended. Files that another process wrote for these sessions stay. */
  async close(): Promise<void> {
    await this.#discard([...this.#files]);
  }

  /** Deletes the files, and empty folders. */
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
    // Only a new name counts towards the limit.
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

  /** Creates a file. `wx` refuses existing files and links. `gone`: the folder or its parent was removed. */
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

/** Creates the folder. Returns `false` unless it is a folder of the user without access for others. */
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

/**
 * Removes folders of sessions whose process died. Folders of sessions in use are younger, because each new file changes
 * a folder's time.
 */
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
