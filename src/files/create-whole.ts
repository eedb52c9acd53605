import { randomBytes } from "node:crypto";
import { link, rm, writeFile } from "node:fs/promises";

/**
 * Makes a file that has its content from its first moment on, for nobody but the user; `false` when there is one of that
 * name already. A file that others see before it is written would look like nobody's.
 */
export async function createWhole(path: string, content: string): Promise<boolean> {
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
