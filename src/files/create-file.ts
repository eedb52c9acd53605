import { randomBytes } from "node:crypto";
import { link, rm, writeFile } from "node:fs/promises";

/**
 * Creates a file, complete with its content, that only the user may read. Returns `false` if a file of that name
 * exists. Other processes never see the file empty, because an empty file names no owner.
 */
export async function createFile(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(draft, content, { flag: "wx", mode: 0o600 });
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
