import { randomBytes } from "node:crypto";
import { lstat, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isOurs, sha256 } from "../cache/cache-folder.ts";
import { createFile } from "../files/create-file.ts";
import { makeFolder } from "../files/make-folder.ts";
import type { StopSignal } from "../stop-signal.ts";
import { identityOf, isAtWork, type ProcessIdentity } from "./process-identity.ts";

/**
 * Work that several processes need and one process does. A claim is a file that names its process. The claim is void
 * once that process has ended, so a killed process blocks no other process. `DIGEST.N.claim` is attempt N. A void claim
 * is never taken over, because two processes could remove each other's claims; the next attempt is N + 1. If claims
 * cannot be written, each process does the work itself.
 */

export interface Claim {
  /** Passes the claim to a process that continues the work. The claim then lasts for at most `heldMs`. */
  passTo(pid: number, heldMs?: number): Promise<void>;
  end(): Promise<void>;
}

/** The maximum number of attempts. If their processes all died, each process does the work itself. */
const MAX_ATTEMPTS = 16;
const POLL_MS = 15;
/** The age at which a claim is void, in milliseconds, unless it was passed on for longer. */
const MAX_HELD_MS = 60_000;
const OWN_NAME = /^([0-9a-f]{64})\.(\d+)\.claim$/;
const DRAFT_NAME = /^([0-9a-f]{64})\.(\d+)\.claim\.([0-9a-f]+)$/;

/** Takes a claim. `"taken"`: a living process has it. `undefined`: claims cannot be kept here. Never throws. */
export async function takeClaim(folder: string, key: unknown): Promise<Claim | "taken" | undefined> {
  const stem = sha256(JSON.stringify(key));
  try {
    await makeFolder(folder, 0o700);
    const stats = await lstat(folder);
    if (!stats.isDirectory() || !isOurs(stats)) return undefined;
    await sweep(folder, stem);
    const others = await Promise.all((await claimsIn(folder, stem)).map(ownerOf));
    if (others.some((owner) => owner !== undefined && owner.pid !== process.pid)) return "taken";
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const path = claimPath(folder, stem, attempt);
      if (await createFile(path, ownerText(process.pid))) return claimAt(folder, stem, attempt);
      const owner = await ownerOf(path);
      // The parent process passed its claim to this process.
      if (owner?.pid === process.pid) return claimAt(folder, stem, attempt);
      if (owner !== undefined) return "taken";
    }
  } catch {
    // The disk is full, or the home is read-only.
  }
  return undefined;
}

/** Returns the claim that another process passed to this process, if it still exists. Takes no claim. Never throws. */
export async function ownClaim(folder: string, key: unknown): Promise<Claim | undefined> {
  const stem = sha256(JSON.stringify(key));
  for (const path of await claimsIn(folder, stem).catch(() => [])) {
    const attempt = Number(OWN_NAME.exec(basename(path))?.[2]);
    if ((await ownerOf(path))?.pid === process.pid) return claimAt(folder, stem, attempt);
  }
  return undefined;
}

/**
 * Waits while another process has a claim. Resolves to how the claim ended, or to `stopped` after `maxWaitMs` or if
 * `signal` fired.
 */
export async function untilFree(
  folder: string,
  key: unknown,
  { signal, maxWaitMs }: { readonly signal?: StopSignal | undefined; readonly maxWaitMs: number },
): Promise<"ended" | "died" | "stopped"> {
  const stem = sha256(JSON.stringify(key));
  const begun = performance.now();
  while (signal?.aborted !== true && performance.now() - begun < maxWaitMs) {
    const claims = await claimsIn(folder, stem).catch(() => []);
    if (claims.length === 0) return "ended";
    const owners = await Promise.all(claims.map(ownerOf));
    // The parent process may have passed its claim to this process by now.
    if (owners.every((owner) => owner === undefined || owner.pid === process.pid)) return "died";
    await sleep(POLL_MS);
  }
  return "stopped";
}

interface SharedWork<Value> {
  /** Returns the result that another process left. `undefined`: there is none. */
  find(): Promise<Value | undefined>;
  /** Does the work and stores the result for `find` before it resolves. */
  work(): Promise<Value>;
  readonly signal?: StopSignal | undefined;
  /** The maximum time to wait for another process. */
  readonly maxWaitMs: number;
}

/** Does the work in one process while others wait for its result. Without `folder`, each process does it. */
export async function onceAmongProcesses<Value>(
  folder: string | undefined,
  key: unknown,
  { find, work, ...wait }: SharedWork<Value>,
): Promise<Value> {
  for (;;) {
    const claim = folder === undefined ? undefined : await takeClaim(folder, key);
    if (folder === undefined || claim === undefined) return work();
    if (claim !== "taken") {
      try {
        // Another process may have finished the work before this process took the claim.
        return (await find()) ?? (await work());
      } finally {
        await claim.end();
      }
    }
    const end = await untilFree(folder, key, wait);
    const found = await find();
    if (found !== undefined) return found;
    // A process that ended without a result failed. The next process would fail too, so waiting again is useless.
    if (end !== "died") return work();
  }
}

function claimPath(folder: string, stem: string, attempt: number): string {
  return join(folder, `${stem}.${attempt}.claim`);
}

function claimAt(folder: string, stem: string, attempt: number): Claim {
  const path = claimPath(folder, stem, attempt);
  return {
    passTo: async (pid, heldMs) => {
      const draft = `${path}.${randomBytes(6).toString("hex")}`;
      try {
        await writeFile(draft, ownerText(pid, heldMs), { flag: "wx", mode: 0o600 });
        await rename(draft, path);
      } catch {
        await rm(draft, { force: true }).catch(() => {});
      }
    },
    // The end also removes the void claims of earlier attempts.
    end: async () => {
      for (let one = 1; one <= attempt; one++) await rm(claimPath(folder, stem, one), { force: true }).catch(() => {});
    },
  };
}

function ownerText(pid: number, heldMs = MAX_HELD_MS): string {
  return JSON.stringify({ ...identityOf(pid), untilMs: Date.now() + heldMs });
}

/** Returns the process that a claim names. Returns `undefined` if the named process has ended. */
async function ownerOf(path: string): Promise<ProcessIdentity | undefined> {
  try {
    const { pid, born, untilMs } = JSON.parse(await readFile(path, "utf8")) as Record<string, unknown>;
    if (typeof pid !== "number" || typeof born !== "string") return undefined;
    if (typeof untilMs !== "number" || Date.now() > untilMs) return undefined;
    return isAtWork({ pid, born }) ? { pid, born } : undefined;
  } catch {
    return undefined;
  }
}

async function claimsIn(folder: string, stem: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => OWN_NAME.exec(name)?.[1] === stem).map((name) => join(folder, name));
}

/** Removes void claims of other work. Void claims of this work stay until it ends, because they count the attempts. */
async function sweep(folder: string, stem: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, other, , draft] = OWN_NAME.exec(name) ?? DRAFT_NAME.exec(name) ?? [];
    if (other === undefined || (other === stem && draft === undefined)) continue;
    const path = join(folder, name);
    const isLeft = draft === undefined ? (await ownerOf(path)) === undefined : await isOld(path);
    if (isLeft) await rm(path, { force: true });
  }
}

/** Whether a draft is old. Another process may still be writing a new draft. */
async function isOld(path: string): Promise<boolean> {
  return lstat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > MAX_HELD_MS,
    () => false,
  );
}
