import { randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConfigFile } from "../../config/load.ts";
import { isJsonObject, type JsonObject } from "../../event.ts";
import type { ProcessIdentity } from "../../processes/process-identity.ts";
import type { Layer, Rule } from "../../rule.ts";
import { usageError } from "../verb.ts";

/** What a one-shot process leaves for another one to do after it has answered. */
export type Job =
  | {
      readonly kind: "async";
      /** Whose rules are meant. */
      readonly layers: readonly Layer[];
      readonly files: readonly ConfigFile[];
      readonly cwd: string;
      readonly dialect: string;
      readonly eventName: string;
      readonly payload: JsonObject;
    }
  | (ProcessIdentity & {
      readonly kind: "detached";
      /** What its processes are known by. */
      readonly mark: string | undefined;
      readonly limitMs: number;
      /** What it leaves running when it ends goes on. */
      readonly keepsBackground: boolean;
    })
  | { readonly kind: "fixtures"; readonly rules: readonly JobRule[] };

/** What the fixtures of a rule's module depend on. */
export interface JobRule {
  readonly name: string;
  readonly handler: Rule["handler"];
  readonly baseDir: string;
  readonly timeoutMs: number;
  /** What this process has claimed for it. */
  readonly claim: unknown;
}

/** How long the process that runs the fixtures of so many guards lives: a little more than they may take. */
export function longestTestsMs(guards: number): number {
  return 45_000 * guards;
}

/**
 * The job as an open file that has no name any more, so that nothing is left behind whatever becomes of either process,
 * and nobody waits until the other has read it. Throws what the file system says.
 */
export function openJobFile(job: Job): number {
  const file = join(tmpdir(), `hookbox-${randomBytes(12).toString("hex")}`);
  const writing = openSync(file, "wx", 0o600);
  let reading: number | undefined;
  try {
    try {
      // Of its own, because a descriptor remembers where it is in the file.
      reading = openSync(file, "r");
    } finally {
      unlinkSync(file);
    }
    const bytes = Buffer.from(JSON.stringify(job));
    for (let written = 0; written < bytes.length; ) written += writeSync(writing, bytes, written);
    return reading;
  } catch (error) {
    if (reading !== undefined) closeSync(reading);
    throw error;
  } finally {
    closeSync(writing);
  }
}

/** The job on standard input. */
export function readJob(): Job {
  try {
    const job: unknown = JSON.parse(readFileSync(0, "utf8"));
    const isKnown = isJsonObject(job) && (job["kind"] === "async" || job["kind"] === "fixtures" || isDetached(job));
    if (isKnown) return job as unknown as Job;
  } catch {
    // Nobody but `run` writes jobs.
  }
  throw usageError("keep is what run starts for hooks that outlive it, and nothing to be started by hand");
}

/** Signals go to the group of this number, and the groups "0" and "1" would be our own and everybody's. */
function isDetached({ kind, pid, limitMs }: JsonObject): boolean {
  return kind === "detached" && Number.isSafeInteger(pid) && (pid as number) > 1 && typeof limitMs === "number";
}
