import { randomBytes } from "node:crypto";
import { link, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { describeThrown, HookError } from "../../../errors.ts";
import { createWhole } from "../../../files/create-whole.ts";
import type { StopSignal } from "../../../stop-signal.ts";

/** One at a time in a folder, across processes. */

const RETRY_MS = 20;
/** A holder says that often that it is still there. */
const SIGN_MS = 2_000;
/** One that has not said so for that long is gone, whatever its process number says: numbers come back. */
const SILENT_MS = 20_000;

/**
 * Runs `work` while nobody else holds `path`. Waits at most `waitMs` for the others; a lock that a dead process left
 * behind is taken over.
 */
export async function withLock<Value>(
  path: string,
  waitMs: number,
  stop: StopSignal,
  work: () => Promise<Value>,
): Promise<Value> {
  const mine = `${JSON.stringify({ pid: process.pid, host: hostname(), token: randomBytes(8).toString("hex") })}\n`;
  const until = performance.now() + waitMs;
  while (!(await createWhole(path, mine))) {
    if (stop.aborted) throw new HookError("HOOK_BUILTIN", "stopped while another snapshot was under way");
    if (await isLeftBehind(path)) continue;
    if (performance.now() >= until) {
      throw new HookError("HOOK_BUILTIN", `another snapshot of this repository is under way, for over ${waitMs} ms`);
    }
    await delay(RETRY_MS);
  }
  const sign = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), SIGN_MS);
  sign.unref();
  try {
    return await work();
  } finally {
    clearInterval(sign);
    // Not one that somebody else has taken over meanwhile.
    if ((await contentOf(path).catch(() => undefined)) === mine) await rm(path, { force: true });
  }
}

/** Whether the lock was nobody's any more, and is out of the way now. */
async function isLeftBehind(path: string): Promise<boolean> {
  const seen = await contentOf(path).catch((error: unknown) => {
    // Tried again and again, it would be for ever in the way.
    throw new HookError("HOOK_BUILTIN", `the lock ${path} cannot be read: ${describeThrown(error)}`);
  });
  if (seen === undefined) return true;
  if (!(await isDead(path, seen))) return false;
  // Two may find this out at once. Whoever moves away what is not what it has seen puts it back.
  const aside = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await rename(path, aside);
    if ((await contentOf(aside)) !== seen) await link(aside, path);
  } catch {
    // Somebody else was first.
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

/** `undefined`: there is none. Rejects when there is something that cannot be read. */
async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
