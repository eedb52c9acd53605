import { randomBytes } from "node:crypto";
import { link, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { describeThrown, HookError } from "../../../errors.ts";
import { createFile } from "../../../files/create-file.ts";
import type { StopSignal } from "../../../stop-signal.ts";

/** A lock file, with which one process at a time uses a folder. */

const RETRY_MS = 20;
/** The interval at which a holder updates the time of its lock, in milliseconds. */
const SIGN_MS = 2_000;
/** The age at which a lock is stale, in milliseconds. A stale lock's process id may exist, because ids are reused. */
const SILENT_MS = 20_000;

/**
 * Runs `work` while holding the lock at `path`. Waits at most `waitMs` for other holders. Takes over a lock whose
 * process died.
 */
export async function withLock<Value>(
  path: string,
  waitMs: number,
  stop: StopSignal,
  work: () => Promise<Value>,
): Promise<Value> {
  const mine = `${JSON.stringify({ pid: process.pid, host: hostname(), token: randomBytes(8).toString("hex") })}\n`;
  const until = performance.now() + waitMs;
  while (!(await createFile(path, mine))) {
    if (stop.aborted)
      throw new HookError("HOOK_BUILTIN", "stopped while waiting for another snapshot of this repository");
    if (await isLeftBehind(path)) continue;
    if (performance.now() >= until) {
      throw new HookError(
        "HOOK_BUILTIN",
        `another snapshot of this repository has been in progress for over ${waitMs} ms`,
      );
    }
    await delay(RETRY_MS);
  }
  const sign = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), SIGN_MS);
  sign.unref();
  try {
    return await work();
  } finally {
    clearInterval(sign);
    // The lock is removed only if no other process has taken it over.
    if ((await contentOf(path).catch(() => undefined)) === mine) await rm(path, { force: true });
  }
}

/** Whether the lock was stale or gone, so that the caller may try again. Removes a stale lock. */
async function isLeftBehind(path: string): Promise<boolean> {
  const seen = await contentOf(path).catch((error: unknown) => {
    // Without this error, the caller would retry until the timeout.
    throw new HookError("HOOK_BUILTIN", `the lock ${path} cannot be read: ${describeThrown(error)}`);
  });
  if (seen === undefined) return true;
  if (!(await isDead(path, seen))) return false;
  // Two processes may find the same stale lock. A process that moved a newer lock away puts it back.
  const aside = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await rename(path, aside);
    if ((await contentOf(aside)) !== seen) await link(aside, path);
  } catch {
    // Another process was first.
  } finally {
    await rm(aside, { force: true });
  }
  return true;
}

async function isDead(path: string, content: string): Promise<boolean> {
  try {
    if (Date.now() - (await stat(path)).mtimeMs > SILENT_MS) return true;
    const { pid, host } = JSON.parse(content) as { readonly pid?: unknown; readonly host?: unknown };
    if (typeof pid !== "number" || host !== hostname()) return false;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Returns the content of the lock. Returns `undefined` if there is no lock. Rejects if the lock cannot be read. */
async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
