import { mkdirSync, mkdtempSync, readdirSync, rmSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A folder for each case that runs, empty. To remove one takes longer on many disks than what a case does in it, so
 * that the next case gets it. Not one with folders in it: whoever remembers a repository by its path would meet another.
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
