import { realpathSync } from "node:fs";

/** Returns the path without links. Returns the unchanged path if its links cannot be resolved. */
export function realPathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
