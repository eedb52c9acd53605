import { realpathSync } from "node:fs";

/** The path without links, or the unchanged path if it cannot be resolved. */
export function realPathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
