import { rm, rmdir, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type KeptValues, readValues, writeValues } from "./kept-values.ts";
import { dataName, type Head, headName, type Look, lookAt, newToken, renameHead } from "./scope-folder.ts";
import { asUnusable, unusable } from "./unusable.ts";

/** A holder says that often that it is still there. */
export const SIGN_MS = 2_000;
/** A holder that has not said so for that long is gone. */
export const SILENT_MS = 20_000;

/** The right to change what is kept of one scope, until it is given back. */
export class Turn {
  readonly values: KeptValues;
  readonly #folder: string;
  readonly #label: string;
  readonly #sign: NodeJS.Timeout;
  /** Called after the end of a turn in which more was kept than before. */
  onGrowth: (grownBytes: number) => Promise<void> = async () => {};
  #head: Head;
  /** Tokens of files that no head names any more. */
  #old: string[] = [];
  #bytes: number;
  #bytesBefore: number;

  private constructor(folder: string, label: string, head: Head, values: KeptValues) {
    this.#folder = folder;
    this.#label = label;
    this.#head = head;
    this.values = values;
    this.#bytes = sizeOf(values);
    this.#bytesBefore = this.#bytes;
    this.#sign = setInterval(() => void sign(folder, this.#head), SIGN_MS);
    this.#sign.unref();
  }

  /** Reads what is kept. Gives the turn back and throws if that is damaged. */
  static async open(folder: string, label: string, head: Head, seen: Look | undefined): Promise<Turn> {
    try {
      await sign(folder, head);
      const values = head.kind === "none" ? new Map() : await valuesOf(folder, label, head);
      const turn = new Turn(folder, label, head, values);
      // Left behind by processes that were killed. Nobody but the holder of the turn can still make a head of them.
      turn.#old = (seen?.data ?? []).filter((token) => head.kind === "none" || token !== head.token);
      return turn;
    } catch (error) {
      await renameHead(folder, head, { ...head, holder: undefined }).catch(() => {});
      throw error;
    }
  }

  /** Counts everything that is kept at the end of this turn as new. */
  grows(): void {
    this.#bytesBefore = 0;
  }

  /**
   * Replaces all values, at one moment. Rejects if that was not done, also if the signal fires meanwhile, or if another
   * process has the turn by now.
   */
  async save(values: KeptValues, signal?: AbortSignal | undefined): Promise<void> {
    const before = this.#head;
    const token = newToken();
    const next: Head = { ...before, kind: values.size === 0 ? "none" : "kept", token };
    try {
      await this.#write(next, values, signal);
      await this.#rename(before, next);
      // A late answer has no effect. Nothing else runs between this look and the end of this call.
      if (signal?.aborted) {
        await this.#rename(next, before);
        if (next.kind === "kept") this.#old.push(token);
        signal.throwIfAborted();
      }
    } catch (error) {
      throw asUnusable(error, this.#folder);
    }
    this.#head = next;
    this.#bytes = sizeOf(values);
    if (before.kind === "kept") this.#old.push(before.token);
  }

  /** Removes the file if it is not needed. Later on it may be what the head names, so it then stays for the next holder. */
  async #write({ kind, token }: Head, values: KeptValues, signal: AbortSignal | undefined): Promise<void> {
    if (kind === "none") return;
    const path = join(this.#folder, dataName(token));
    try {
      await writeValues(path, values, labelFor(this.#label, token));
      signal?.throwIfAborted();
    } catch (error) {
      await rm(path, { force: true }).catch(() => {});
      throw error;
    }
  }

  async #rename(from: Head, to: Head): Promise<void> {
    if (await renameHead(this.#folder, from, to)) return;
    throw unusable(this.#folder, "was removed, or taken by another process, before this call was over", "try again");
  }

  /** Gives the turn to others; removes the scope if nothing is kept. Never rejects. */
  release(): Promise<void> {
    return this.#end(this.#head.kind === "none");
  }

  /** Removes the scope with everything in it. Never rejects. */
  remove(): Promise<void> {
    return this.#end(true);
  }

  async #end(removes: boolean): Promise<void> {
    clearInterval(this.#sign);
    const { kind, token } = this.#head;
    try {
      if (removes && kind === "kept") {
        await this.#rename(this.#head, { ...this.#head, kind: "none" });
        this.#head = { ...this.#head, kind: "none" };
        this.#old.push(token);
      }
      // In this order: values without a head would look like damage.
      if (!removes) await renameHead(this.#folder, this.#head, { ...this.#head, holder: undefined });
      for (const old of this.#old) await rm(join(this.#folder, dataName(old)), { force: true });
      if (!removes) {
        if (this.#bytes > this.#bytesBefore) await this.onGrowth(this.#bytes - this.#bytesBefore);
        return;
      }
      await rm(join(this.#folder, headName(this.#head)));
      // Fails, as it has to, if another process has made the scope again.
      await rmdir(this.#folder);
      await rmdir(dirname(this.#folder));
    } catch {
      // Another process has the turn, or the disk fails. This process ends some day, and then nobody waits for it.
    }
  }
}

/** What is kept, without a turn; `undefined` if there is nothing, or it is being changed. */
export async function peek(folder: string, label: string): Promise<KeptValues | undefined> {
  const [head, ...others] = (await lookAt(folder))?.heads ?? [];
  if (head?.kind !== "kept" || others.length > 0) return undefined;
  return readValues(join(folder, dataName(head.token)), labelFor(label, head.token)).catch(() => undefined);
}

async function valuesOf(folder: string, label: string, { token }: Head): Promise<KeptValues> {
  const path = join(folder, dataName(token));
  let values: KeptValues | undefined;
  try {
    values = await readValues(path, labelFor(label, token));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ELOOP") throw asUnusable(error, path);
  }
  if (values === undefined) throw damaged(folder, `${dataName(token)} is missing, or is not as it was written`);
  return values;
}

export function damaged(folder: string, how: string): Error {
  return unusable(folder, `is damaged (${how})`, "remove it (what was kept there is lost)");
}

const labelFor = (label: string, token: string): string => `state 1 ${label} ${token}`;

function sizeOf(values: KeptValues): number {
  let bytes = 0;
  for (const [key, value] of values) bytes += 2 * key.length + value.byteLength;
  return bytes;
}

/** The time of the head says when its holder was last known to be there. */
async function sign(folder: string, head: Head): Promise<void> {
  const now = new Date();
  await utimes(join(folder, headName(head)), now, now).catch(() => {});
}
