import { lstat, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { isOurs } from "../cache/cache-folder.ts";
import { createWhole } from "../cache/create-whole.ts";

/**
 * What processes tell each other about rules that run once: a file for a run that is under way, and another for one that has
 * succeeded. Who can write here can make a guard look as if it had run, so the folder must be the user's own and
 * nobody else's. Where it cannot be used, a rule runs once more than it had to.
 *
 * `DIGEST.SCOPE.N` is the claim of the Nth run. A claim whose process is gone is never taken away, as two that try
 * would take away each other's: the next run claims N + 1, and files appear whole and only once.
 */
export class OnceFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Never throws. `undefined`: nobody can be told, and the rule runs. */
  async claim(digest: string, isForever: boolean, timeoutMs: number): Promise<FileClaim | "done" | "busy" | undefined> {
    const stem = join(this.#folder, `${digest}.${isForever ? "forever" : "session"}`);
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const stats = await lstat(this.#folder);
      if (!stats.isDirectory() || !isOurs(stats)) return undefined;
      if (await exists(`${stem}.done`)) return "done";
      for (let run = 1; run <= MAX_RUNS; run++) {
        const path = `${stem}.${run}`;
        const content = JSON.stringify({ pid: process.pid, untilMs: Date.now() + timeoutMs + GRACE_MS });
        if (await createWhole(path, content)) {
          // It may have ended between the look for its success and the claim.
          if (await exists(`${stem}.done`)) {
            await rm(path, { force: true });
            return "done";
          }
          await this.#prune();
          return { end: (hasSucceeded) => this.#end(stem, path, hasSucceeded) };
        }
        if (await isAlive(path)) return "busy";
      }
    } catch {
      // A full disk, a read-only home.
    }
    return undefined;
  }

  async #end(stem: string, path: string, hasSucceeded: boolean): Promise<void> {
    try {
      if (hasSucceeded) await createWhole(`${stem}.done`, "{}");
      else await rm(`${stem}.done`, { force: true });
      await rm(path, { force: true });
    } catch {
      // The claim ends with its time.
    }
  }

  /** The oldest go first, sessions before what holds for ever. What was not put here stays. */
  async #prune(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => OWN_NAME.test(name));
    for (const scope of ["session", "forever"]) {
      const own = names.filter((name) => name.includes(`.${scope}.`));
      if (own.length <= MAX_FILES) continue;
      const files = await Promise.all(
        own.map(async (name) => {
          const path = join(this.#folder, name);
          const time = await lstat(path).then(
            ({ mtimeMs }) => mtimeMs,
            () => 0,
          );
          return { path, time };
        }),
      );
      const old = files.sort((a, b) => b.time - a.time).slice(MAX_FILES);
      await Promise.all(old.map(({ path }) => rm(path, { force: true })));
    }
  }
}

interface FileClaim {
  end(hasSucceeded: boolean): Promise<void>;
}

/** Claims of processes that are gone, before the matter is let rest. */
const MAX_RUNS = 16;
/** What a run may take beyond its deadline before it counts as gone. */
const GRACE_MS = 2_000;
/** Of each scope. */
const MAX_FILES = 1_024;
const OWN_NAME = /^[0-9a-f]{64}\.(?:session|forever)\.(?:done|\d+)(?:\.[0-9a-f]{12})?$/;

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

async function isAlive(path: string): Promise<boolean> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    // It ended meanwhile; whoever asks looks again.
    return true;
  }
  let claim: { readonly pid?: unknown; readonly untilMs?: unknown };
  try {
    claim = JSON.parse(text) as typeof claim;
  } catch {
    return false;
  }
  if (typeof claim?.pid !== "number" || typeof claim.untilMs !== "number" || Date.now() > claim.untilMs) return false;
  try {
    process.kill(claim.pid, 0);
    return true;
  } catch (error) {
    // It is there, and another user's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
