import { rm, rmdir, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { dataName, type Head, headName, type Look, lookAt, newToken, renameHead } from "./scope-files.ts";
import { asStateError, stateError } from "./state-errors.ts";
import { readValues, type StoredValues, writeValues } from "./values-file.ts";

/** Interval at which a holder signs its head, to show that it is alive, in milliseconds. */
export const SIGN_MS = 2_000;
/** The time without a signature after which a holder counts as ended, in milliseconds. */
export const SILENT_MS = 20_000;

/** A held mutex: the right to change the values of a scope until it is released. */
export class HeldMutex {
  readonly values: StoredValues;
  readonly #folder: string;
  readonly #label: string;
  readonly #sign: NodeJS.Timeout;
  /** Called after a release if the values have grown. */
  onGrowth: (grownBytes: number) => Promise<void> = async () => {};
  #head: Head;
  /** Tokens of files that no head names any longer. */
  #old: string[] = [];
  #bytes: number;
  #bytesBefore: number;

  private constructor(folder: string, label: string, head: Head, values: StoredValues) {
    this.#folder = folder;
    this.#label = label;
    this.#head = head;
    this.values = values;
    this.#bytes = sizeOf(values);
    this.#bytesBefore = this.#bytes;
    this.#sign = setInterval(() => void sign(folder, this.#head), SIGN_MS);
    this.#sign.unref();
  }

  /** Reads the values. If they are damaged, releases the mutex and throws. */
  static async open(folder: string, label: string, head: Head, seen: Look | undefined): Promise<HeldMutex> {
    try {
      await sign(folder, head);
      const values = head.kind === "none" ? new Map() : await valuesOf(folder, label, head);
      const mutex = new HeldMutex(folder, label, head, values);
      // Only the holder of the mutex can still turn files of killed processes into a head.
      mutex.#old = (seen?.data ?? []).filter((token) => head.kind === "none" || token !== head.token);
      return mutex;
    } catch (error) {
      await renameHead(folder, head, { ...head, holder: undefined }).catch(() => {});
      throw error;
    }
  }

  /** Makes all values at the release count as growth. */
  grows(): void {
    this.#bytesBefore = 0;
  }

  /**
   * Replaces all values atomically. Rejects if they were not replaced, also if the signal fires during the call or
   * another process holds the mutex by now.
   */
  async save(values: StoredValues, signal?: AbortSignal | undefined): Promise<void> {
    const before = this.#head;
    const token = newToken();
    const next: Head = { ...before, kind: values.size === 0 ? "none" : "kept", token };
    try {
      await this.#write(next, values, signal);
      await this.#rename(before, next);
      // A late answer must have no effect. No other code runs between this check and the end of this call.
      if (signal?.aborted) {
        await this.#rename(next, before);
        if (next.kind === "kept") this.#old.push(token);
        signal.throwIfAborted();
      }
    } catch (error) {
      throw asStateError(error, this.#folder);
    }
    this.#head = next;
    this.#bytes = sizeOf(values);
    if (before.kind === "kept") this.#old.push(before.token);
  }

  /**
   * Writes the values. Removes the file on failure, which is safe only here. Later, the head may name the file, so it
   * remains for the next holder.
   */
  async #write({ kind, token }: Head, values: StoredValues, signal: AbortSignal | undefined): Promise<void> {
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
    throw stateError(this.#folder, "was removed, or taken by another process, during this call", "try again");
  }

  /** Releases the mutex. Removes the scope if it has no values. Never rejects. */
  release(): Promise<void> {
    return this.#end(this.#head.kind === "none");
  }

  /** Removes the scope and its values. Never rejects. */
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
      // The head is renamed last, because values without a head would look like damage.
      if (!removes) await renameHead(this.#folder, this.#head, { ...this.#head, holder: undefined });
      for (const old of this.#old) await rm(join(this.#folder, dataName(old)), { force: true });
      if (!removes) {
        if (this.#bytes > this.#bytesBefore) await this.onGrowth(this.#bytes - this.#bytesBefore);
        return;
      }
      await rm(join(this.#folder, headName(this.#head)));
      // `rmdir` fails, as intended, if another process has created the scope again.
      await rmdir(this.#folder);
      await rmdir(dirname(this.#folder));
    } catch {
      // Another process holds the mutex, or the disk fails. When this process ends, waiting processes take over.
    }
  }
}

/** Reads the values without the mutex. Returns `undefined` if there are none, or if they are being changed. */
export async function peek(folder: string, label: string): Promise<StoredValues | undefined> {
  const [head, ...others] = (await lookAt(folder))?.heads ?? [];
  if (head?.kind !== "kept" || others.length > 0) return undefined;
  return readValues(join(folder, dataName(head.token)), labelFor(label, head.token)).catch(() => undefined);
}

async function valuesOf(folder: string, label: string, { token }: Head): Promise<StoredValues> {
  const path = join(folder, dataName(token));
  let values: StoredValues | undefined;
  try {
    values = await readValues(path, labelFor(label, token));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ELOOP") throw asStateError(error, path);
  }
  if (values === undefined) throw damaged(folder, `${dataName(token)} is missing, or is not as it was written`);
  return values;
}

export function damaged(folder: string, how: string): Error {
  return stateError(folder, `is damaged (${how})`, "remove it (the values stored there are lost)");
}

const labelFor = (label: string, token: string): string => `state 1 ${label} ${token}`;

function sizeOf(values: StoredValues): number {
  let bytes = 0;
  for (const [key, value] of values) bytes += 2 * key.length + value.byteLength;
  return bytes;
}

/** Signs the head. Its modification time shows when its holder was last alive. */
async function sign(folder: string, head: Head): Promise<void> {
  const now = new Date();
  await utimes(join(folder, headName(head)), now, now).catch(() => {});
}
