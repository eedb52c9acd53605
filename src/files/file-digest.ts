import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { isAbsence } from "./disk.ts";

const MAX_BYTES = 64 * 1_048_576;

/** Stands for the digest of a file that cannot be read. No file may count as equal to such a file. */
export const UNREADABLE = "unreadable";

/** Returns the SHA-256 digest of a regular file, or `UNREADABLE`. Returns `undefined` if no file has this path. */
export async function digestOfFile(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (stats.isDirectory()) return undefined;
      if (!stats.isFile() || stats.size > MAX_BYTES) return UNREADABLE;
      return createHash("sha256")
        .update(await file.readFile())
        .digest("hex");
    } finally {
      await file.close();
    }
  } catch (error) {
    return isAbsence(error) ? undefined : UNREADABLE;
  }
}
