import { lstat } from "node:fs/promises";
import { join, posix } from "node:path";
import type { Place, Problem } from "../errors.ts";
import type { LockedModule } from "../grants.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { describeFileError, readRegularFile } from "./read-file.ts";

/**
 * `hookbox.lock`: the reviewed module for each path, next to the configuration that names the path. The lock file
 * protects against changed modules from elsewhere. It does not protect against a user who can write the configuration,
 * because this user can also write the lock file.
 */

export const LOCK_FILE = "hookbox.lock";
const LOCK_VERSION = 1;

/** One reviewed module. The next review compares the fields other than the digest and the imports. */
export interface LockEntry extends LockedModule {
  readonly bytes: number;
  readonly capabilities: readonly string[];
  readonly memory: { readonly initialBytes: number; readonly maximumBytes: number | null } | null;
  /** The manifest without its fixtures. `fixtures` is the number of fixtures. */
  readonly manifest: JsonObject | null;
  readonly fixtures: number;
  /** The answers that at least one rule allows the module. */
  readonly may: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
}

export type LockEntries = Readonly<Record<string, LockEntry>>;

export type LockFile =
  | { readonly kind: "none" }
  | { readonly kind: "entries"; readonly entries: LockEntries }
  | { readonly kind: "broken"; readonly problem: Problem };

/** The content of the file, not yet parsed. */
export type LockText =
  | { readonly kind: "none" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unreadable"; readonly message: string };

export async function readLockText(folder: string): Promise<LockText> {
  const file = join(folder, LOCK_FILE);
  try {
    return { kind: "text", text: await readRegularFile(file) };
  } catch (error) {
    // A link without a target means that the lock file was lost, which is an error.
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && !(await isThere(file))) return { kind: "none" };
    return { kind: "unreadable", message: describeFileError(error) };
  }
}

export async function readLockFile(folder: string): Promise<LockFile> {
  return parseLock(await readLockText(folder), folder);
}

export async function parseLock(lock: LockText, folder: string): Promise<LockFile> {
  const file = join(folder, LOCK_FILE);
  if (lock.kind === "none") return lock;
  if (lock.kind === "unreadable") return broken(file, `cannot be read: ${lock.message}`);
  const { readDocument } = await import("./document.ts");
  const document = await readDocument(lock.text, file);
  if (!document.ok) {
    const [problem] = document.problems;
    return broken(file, `cannot be read: ${problem?.message ?? "it is not JSON"}`, problem?.place);
  }
  return readEntries(document.document.value, file);
}

function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

function readEntries(value: unknown, file: string): LockFile {
  if (!isJsonObject(value) || value["lockVersion"] !== LOCK_VERSION || !isJsonObject(value["modules"])) {
    return broken(file, `is not a lock file of version ${LOCK_VERSION}`);
  }
  const entries: [string, LockEntry][] = [];
  for (const [path, entry] of Object.entries(value["modules"])) {
    if (!isLocked(entry))
      return broken(
        file,
        `has an invalid entry for ${path}: it needs a sha256 and a list of imports, and grants must be a list`,
      );
    entries.push([path, entry]);
  }
  return { kind: "entries", entries: Object.fromEntries(entries) };
}

function isLocked(entry: unknown): entry is LockEntry {
  if (!isJsonObject(entry)) return false;
  const { sha256, imports, grants = [] } = entry;
  return typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256) && isList(imports) && isList(grants);
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function broken(file: string, message: string, place: Place = { file }): LockFile {
  const hint = 'fix the file, or write it again with "hookbox lock"';
  return {
    kind: "broken",
    problem: {
      severity: "error",
      code: "HOOK_LOCK_INVALID",
      message: `the lock file ${message}`,
      hint,
      place,
    },
  };
}

/** Returns the name of a rule's module in a lock file, with forward slashes and without `..` detours. */
export function lockKey(module: string): string {
  const path = posix.normalize(module.replaceAll("\\", "/"));
  return posix.isAbsolute(path) || path.startsWith("../") || /^[A-Za-z]:\//.test(path) ? path : `./${path}`;
}

export function formatLock(entries: LockEntries): string {
  const sorted = Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ lockVersion: LOCK_VERSION, modules: sorted }, null, 2)}\n`;
}
