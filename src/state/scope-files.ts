import { randomBytes } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * The folder of one scope, `LAYER/SESSION/RULE`, and the files that implement its mutex:
 * - The head, an empty file: `none-TOKEN` or `kept-TOKEN`, followed by `~HOLDER` while a process holds the mutex. There
 *   is exactly one head. `data-TOKEN` contains the values; `none` means that there are no values.
 * - `wait-RULE-TIME~HOLDER`, in the parent folder: a process waits for the mutex.
 * - `draft~HOLDER`, in the parent folder: a process creates a scope.
 *
 * A process takes the mutex, saves and releases by renaming the head. If two processes rename the same head, one rename
 * fails. Tokens and holders are random and used once, so a name never returns. Therefore a process that was wrongly
 * considered ended, or was stopped for an hour, cannot overwrite newer values: the name that it would rename no longer
 * exists.
 */
export interface Head {
  readonly kind: "none" | "kept";
  readonly token: string;
  /** The holder of the mutex. `undefined`: the mutex is free. */
  readonly holder: string | undefined;
}

export interface Look {
  /** The heads of the scope. Another number than one means damage, or a rename during the read. */
  readonly heads: readonly Head[];
  /** Tokens of files with values. */
  readonly data: readonly string[];
}

interface Ticket {
  readonly path: string;
  readonly holder: string;
}

const HEAD = /^(none|kept)-([0-9a-f]{32})(?:~([\w-]+))?$/;
const DATA = /^data-([0-9a-f]{32})$/;

export const newToken = (): string => randomBytes(16).toString("hex");

export const dataName = (token: string): string => `data-${token}`;

export function headName({ kind, token, holder }: Head): string {
  return holder === undefined ? `${kind}-${token}` : `${kind}-${token}~${holder}`;
}

/** Reads a scope's folder. `undefined`: the scope does not exist. Its empty folder may remain after a removal. */
export async function lookAt(folder: string): Promise<Look | undefined> {
  const heads: Head[] = [];
  const data: string[] = [];
  for (const name of await namesIn(folder)) {
    const [, kind, token = "", holder] = HEAD.exec(name) ?? [];
    const [, kept] = DATA.exec(name) ?? [];
    if (kind !== undefined) heads.push({ kind: kind as Head["kind"], token, holder });
    else if (kept !== undefined) data.push(kept);
  }
  return heads.length === 0 && data.length === 0 ? undefined : { heads, data };
}

/** Returns the tickets of the waiting processes, in order of arrival. */
export async function ticketsOf(folder: string): Promise<Ticket[]> {
  const session = dirname(folder);
  const start = `wait-${basename(folder)}-`;
  const names = (await namesIn(session)).filter((name) => name.startsWith(start)).sort();
  return names.map((name) => ({ path: join(session, name), holder: name.slice(name.indexOf("~") + 1) }));
}

export function newTicket(folder: string, holder: string): string {
  return join(dirname(folder), `wait-${basename(folder)}-${Date.now()}~${holder}`);
}

/** Returns the holder that a ticket or a draft names. Returns `undefined` for other names. */
export function holderOf(name: string): string | undefined {
  return /^(?:wait-[\w-]+|draft)~([\w-]+)$/.exec(name)?.[1];
}

/** Returns the names in a folder. Returns an empty list if the folder does not exist. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** Renames the head. Resolves to `false` if the head no longer exists. */
export async function renameHead(folder: string, from: Head, to: Head): Promise<boolean> {
  try {
    await rename(join(folder, headName(from)), join(folder, headName(to)));
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/** Creates the scope with a head that `holder` holds. `undefined`: another process created the scope first. */
export async function createHeld(folder: string, holder: string): Promise<Head | undefined> {
  const draft = join(dirname(folder), `draft~${holder}`);
  const head: Head = { kind: "none", token: newToken(), holder };
  let isMade = false;
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeFile(join(draft, headName(head)), "", { flag: "wx", mode: 0o600 });
    // Renaming replaces only an empty folder, and the folder of a scope is never empty.
    await rename(draft, folder).then(
      () => {
        isMade = true;
      },
      (error: unknown) => {
        if (!OTHERS_FIRST.includes(codeOf(error))) throw error;
      },
    );
    return isMade ? head : undefined;
  } catch (error) {
    // The session was removed at the same time.
    if (isAbsent(error)) return undefined;
    throw error;
  } finally {
    if (!isMade) await rm(draft, { recursive: true, force: true });
  }
}

/** Errors of a scope that another process created first. Windows reports `EPERM`. */
const OTHERS_FIRST = ["EEXIST", "ENOTEMPTY", "EPERM"];

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code);

function isAbsent(error: unknown): boolean {
  return codeOf(error) === "ENOENT";
}
