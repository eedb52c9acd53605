import { mkdirSync, statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Creates a folder and its missing parents. Node's `recursive` option never returns below `/proc` and in automounted
 * folders, where creating a folder in an existing folder fails with "no such file". This function tries each folder at
 * most twice. Throws the system's error, also if a file has the name of a folder.
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
      // Another process created the folder first.
      if (codeOf(again) !== "EEXIST" || !(await isThere())) throw again;
    });
  }
}

/** The synchronous form of {@link makeFolder}. */
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
