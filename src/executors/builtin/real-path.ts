import { realpathSync } from "node:fs";

/** Without links; as it is written where that cannot be known. */
export function realPathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
