import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A path that does not exist: no process can create an entry in /proc, not even as root. */
export const ABSENT = "/proc/hookbox-absent";

/**
 * Creates a folder with these files by path: contents, or `null` for a folder. The folder is removed after the test.
 */
export function makeFolder(files: Readonly<Record<string, string | Buffer | null>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookbox-folder-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    const place = join(folder, path);
    mkdirSync(content === null ? place : dirname(place), { recursive: true });
    if (content !== null) writeFileSync(place, content);
  }
  return folder;
}
