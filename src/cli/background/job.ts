import { randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConfigFile } from "../../config/load.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Layer } from "../../layer-trust.ts";
import type { ProcessIdentity } from "../../processes/process-identity.ts";
import type { Rule } from "../../rule.ts";
import { usageError } from "../verb.ts";

/** A job that `hookbox run` passes to another process before it ends. */
export type Job =
  | {
      readonly kind: "async";
      /** The layers of the rules to run. */
      readonly layers: readonly Layer[];
      readonly files: readonly ConfigFile[];
      readonly cwd: string;
      readonly dialect: string;
      readonly eventName: string;
      readonly payload: JsonObject;
    }
  | (ProcessIdentity & {
      readonly kind: "detached";
      /** The environment mark of the hook's processes. */
      readonly mark: string | undefined;
      readonly limitMs: number;
      /** Whether processes that the hook leaves running may continue after the hook ends. */
      readonly keepsBackground: boolean;
    })
  | { readonly kind: "fixtures"; readonly rules: readonly JobRule[] };

/** The parts of a rule that its module's fixtures depend on. */
export interface JobRule {
  readonly name: string;
  readonly handler: Rule["handler"];
  readonly baseDir: string;
  readonly approved?: Rule["approved"];
  readonly timeoutMs: number;
  /** The key of the claim that was taken for this work. */
  readonly claim: unknown;
}

/** Returns a time limit in milliseconds for running guards' fixtures: slightly more than the fixtures may take. */
export function longestTestsMs(guards: number): number {
  return 45_000 * guards;
}

/**
 * Writes the job to a file, deletes the file's name and returns the descriptor. No file is left behind if a process is
 * killed. This process need not wait until the other process has read the job. Throws the file system's errors.
 */
export function openJobFile(job: Job): number {
  const file = join(tmpdir(), `hookbox-${randomBytes(12).toString("hex")}`);
  const writing = openSync(file, "wx", 0o600);
  let reading: number | undefined;
  try {
    try {
      // Reading needs a second descriptor, because a descriptor has one position for reading and writing.
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

/** Reads the job from standard input. */
export function readJob(): Job {
  try {
    const job: unknown = JSON.parse(readFileSync(0, "utf8"));
    const isKnown = isJsonObject(job) && (job["kind"] === "async" || job["kind"] === "fixtures" || isDetached(job));
    if (isKnown) return job as unknown as Job;
  } catch {
    // Standard input contains no job, because the user started `keep`.
  }
  throw usageError("keep is started by run for hooks that outlive it, and cannot be started by hand");
}

/** Whether the job describes a detached hook. The pid must be above 1: signals to 0 or -1 reach other processes. */
function isDetached({ kind, pid, limitMs }: JsonObject): boolean {
  return kind === "detached" && Number.isSafeInteger(pid) && (pid as number) > 1 && typeof limitMs === "number";
}
