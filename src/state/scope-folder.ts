import { randomBytes } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * The folder of one scope, `LAYER/SESSION/RULE`, and the names in it and beside it:
 *
 * - The head, an empty file: `none-TOKEN` or `kept-TOKEN`, followed by `~HOLDER` while a process has the turn. There is
 *   exactly one. `data-TOKEN` holds the values; `none` means that there are no values.
 * - `wait-RULE-TIME~HOLDER`, beside the folder: a process waits for the turn.
 * - `draft~HOLDER`, beside the folder: a process makes a scope.
 *
 * To take, save and give back is to rename the head. The system renames a name once: of two processes that try, one
 * fails. Tokens and holders are random and used once, so a name never comes back. That is why a process that was wrongly
 * taken for dead, or was stopped for an hour, cannot save over what others have saved since: the name that it would
 * rename is gone.
 */
export interface Head {
  readonly kind: "none" | "kept";
  readonly token: string;
  /** `undefined`: free. */
  readonly holder: string | undefined;
}

export interface Look {
  /** More or fewer than one: the folder is damaged, or its head was renamed while it was read. */
  readonly heads: readonly Head[];
  /** Tokens of files with values. */
  readonly data: readonly string[];
}

export interface Ticket {
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

/** `undefined`: there is no such scope. A folder without a head and values is what a removed scope may leave behind. */
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

/** Who waits for the turn, in the order in which they came. */
export async function ticketsOf(folder: string): Promise<Ticket[]> {
  const session = dirname(folder);
  const start = `wait-${basename(folder)}-`;
  const names = (await namesIn(session)).filter((name) => name.startsWith(start)).sort();
  return names.map((name) => ({ path: join(session, name), holder: name.slice(name.indexOf("~") + 1) }));
}

export function newTicket(folder: string, holder: string): string {
  return join(dirname(folder), `wait-${basename(folder)}-${Date.now()}~${holder}`);
}

/** The process that a ticket or a draft is of; `undefined` for other names. */
export function holderOf(name: string): string | undefined {
  return /^(?:wait-[\w-]+|draft)~([\w-]+)$/.exec(name)?.[1];
}

/** None if there is no such folder. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** `false`: the head is not there any more. */
export async function renameHead(folder: string, from: Head, to: Head): Promise<boolean> {
  try {
    await rename(join(folder, headName(from)), join(folder, headName(to)));
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/** Makes the scope with a head that `holder` holds; `undefined` if another process made it first. */
export async function createHeld(folder: string, holder: string): Promise<Head | undefined> {
  const draft = join(dirname(folder), `draft~${holder}`);
  const head: Head = { kind: "none", token: newToken(), holder };
  let isMade = false;
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeFile(join(draft, headName(head)), "", { flag: "wx", mode: 0o600 });
    // Replaces an empty folder only, and that of a scope is never empty.
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
    // The session was removed in this moment.
    if (isAbsent(error)) return undefined;
    throw error;
  } finally {
    if (!isMade) await rm(draft, { recursive: true, force: true });
  }
}

/** The last of these is what Windows says. */
const OTHERS_FIRST = ["EEXIST", "ENOTEMPTY", "EPERM"];

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code);

function isAbsent(error: unknown): boolean {
  return codeOf(error) === "ENOENT";
}
