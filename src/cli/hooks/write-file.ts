import { randomBytes } from "node:crypto";
import { access, constants, lstat, open, readlink, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { describeFileError, readRegularFile } from "../../config/read-file.ts";
import { HookError } from "../../errors.ts";

/** Replaces files atomically, and only if no other process has changed them. */

/** Reads a file. `undefined`: the file does not exist. Throws for a file that cannot be replaced, such as a link. */
export async function readForChange(file: string): Promise<string | undefined> {
  const stats = await lstat(file).catch(() => undefined);
  if (stats?.isSymbolicLink())
    throw refusal(
      file,
      "it is a symbolic link, which a change would replace",
      `name the file that it points to: ${await readlink(file)}`,
    );
  try {
    return await readRegularFile(file, "kept");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw refusal(file, describeFileError(error));
  }
}

/** Replaces a file. `before` is the text that the change is based on; `undefined` if the file did not exist. */
export async function replaceFile(file: string, before: string | undefined, after: string): Promise<void> {
  const stats = await lstat(file).catch(() => undefined);
  if (stats !== undefined && (stats.mode & 0o222) === 0) throw refusal(file, "it is read-only");
  try {
    await access(dirname(file), constants.W_OK);
    if (stats !== undefined) await access(file, constants.W_OK);
  } catch (error) {
    throw refusal(file, describeFileError(error));
  }
  await expectUnchanged(file, before);
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    const handle = await open(draft, "wx", stats === undefined ? 0o644 : stats.mode & 0o777);
    try {
      await handle.writeFile(after);
      if (stats !== undefined) await handle.chmod(stats.mode & 0o777);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw refusal(file, describeFileError(error));
  }
}

export async function removeFile(file: string, before: string | undefined): Promise<void> {
  await expectUnchanged(file, before);
  await rm(file, { force: true });
}

export async function expectUnchanged(file: string, before: string | undefined): Promise<void> {
  if ((await readForChange(file)) !== before)
    throw refusal(file, "it has changed since it was read", "check the file, and repeat the command");
}

function refusal(file: string, why: string, hint?: string): HookError {
  return new HookError("HOOK_EDIT_FILE", `${file} cannot be changed: ${why}`, hint === undefined ? {} : { hint });
}
