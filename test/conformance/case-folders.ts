import { mkdirSync, mkdtempSync, readdirSync, rmSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * An empty folder for each case that runs. On many disks removing a folder takes longer than the case itself, so the
 * next case reuses it. A folder that contains folders is not reused, because a cache of repositories by path would
 * return the wrong one.
 */
export class CaseFolders {
  readonly #root = mkdtempSync(join(tmpdir(), "hookbox-case-"));
  readonly #free: string[] = [];
  #made = 0;

  take(): string {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const folder = join(this.#root, String(++this.#made));
    mkdirSync(folder);
    return folder;
  }

  giveBack(folder: string): void {
    const entries = readdirSync(folder, { withFileTypes: true });
    if (entries.some((entry) => entry.isDirectory())) return;
    for (const { name } of entries) unlinkSync(join(folder, name));
    this.#free.push(folder);
  }

  close(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}
