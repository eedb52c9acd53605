import { mkdirSync, statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder and the missing ones above it. Node's `recursive` option tries for ever where a folder exists and the
 * system answers "no such file" to making one in it: below `/proc`, and in mounts on demand. This function tries each
 * folder twice at most. Throws what the system says, also where something else than a folder is.
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  const isThere = async (): Promise<boolean> => (await stat(folder)).isDirectory();
  try {
    await mkdir(folder, mode);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST" && (await isThere())) return;
    if (code !== "ENOENT" || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder), mode);
    await mkdir(folder, mode).catch(async (again: unknown) => {
      // Another process was faster.
      if (codeOf(again) !== "EEXIST" || !(await isThere())) throw again;
    });
  }
}

/** The same, for code that cannot wait. */
export function makeFolderSync(folder: string, mode = 0o777): void {
  const isThere = (): boolean => statSync(folder).isDirectory();
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST" && isThere()) return;
    if (code !== "ENOENT" || dirname(folder) === folder) throw error;
    makeFolderSync(dirname(folder), mode);
    try {
      mkdirSync(folder, mode);
    } catch (again) {
      if (codeOf(again) !== "EEXIST" || !isThere()) throw again;
    }
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
