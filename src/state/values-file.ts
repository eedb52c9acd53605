import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { isOurs, seal, unseal } from "../cache/cache-folder.ts";

/** The stored values of one scope: bytes by name. Immutable. */
export type StoredValues = ReadonlyMap<string, Uint8Array>;

/** The maximum size of a file. A guard stores at most 1 MiB, but names are JSON, which can be six times as long. */
const MAX_FILE_BYTES = 8 * 1_048_576;

/**
 * Writes a new file. Flushes the bytes to the disk before resolving, because a power failure must not leave a file that
 * looks damaged. `label` identifies the owner of the values: the file cannot be read under another label.
 */
export async function writeValues(path: string, values: StoredValues, label: string): Promise<void> {
  const index = JSON.stringify([...values].map(([key, { byteLength }]) => [key, byteLength]));
  const content = Buffer.concat([Buffer.from(`${index}\n`), ...values.values()]);
  if (content.byteLength > MAX_FILE_BYTES) throw new RangeError(`${content.byteLength} bytes are too many to store`);
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(seal(content, label));
    await file.datasync();
  } finally {
    await file.close();
  }
}

/**
 * Reads a file. Resolves to `undefined` if its content is not what {@link writeValues} wrote. Rejects with errors of
 * the file system.
 */
export async function readValues(path: string, label: string): Promise<StoredValues | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES + 1_024 || !isOurs(stats)) return undefined;
    const content = unseal(await file.readFile(), label);
    return content === undefined ? undefined : valuesIn(content);
  } finally {
    await file.close();
  }
}

/** Parses the content without checks, because the caller has verified its seal. */
function valuesIn(content: Buffer): StoredValues {
  const end = content.indexOf("\n");
  const index = JSON.parse(content.toString("utf8", 0, end)) as [key: string, byteLength: number][];
  const values = new Map<string, Uint8Array>();
  let at = end + 1;
  for (const [key, byteLength] of index) {
    values.set(key, new Uint8Array(content.subarray(at, at + byteLength)));
    at += byteLength;
  }
  return values;
}
