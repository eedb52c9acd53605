import { constants, open } from "node:fs/promises";
import { describeThrown } from "../errors.ts";

const MAX_FILE_BYTES = 4 * 1_048_576;

export class FileTooLong extends Error {}

/**
 * Reads a regular file. Refuses pipes and devices, because a read from them may never end. An agent that gets no answer
 * in time lets the action go.
 */
export async function readRegularFile(path: string, byteOrderMark: "dropped" | "kept" = "dropped"): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error("it is not a regular file");
    if (stats.size > MAX_FILE_BYTES) throw new FileTooLong(`it is longer than ${MAX_FILE_BYTES} bytes`);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: byteOrderMark === "kept" }).decode(
      await handle.readFile(),
    );
  } finally {
    await handle.close();
  }
}

/** Returns the message of a file error without the path, because the caller shows the path elsewhere. */
export function describeFileError(error: unknown): string {
  return describeThrown(error).replace(/, \w+ '.*'$/s, "");
}
