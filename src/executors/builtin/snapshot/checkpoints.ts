import { appendFile, open, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type JsonObject, parseJsonObject } from "../../../json.ts";
import { readRegular } from "./work-tree.ts";

/** The list of states that can be restored: one JSON object per line, the newest last. */

export interface Checkpoint {
  /** The checkpoint's number. Increases within a repository and is never reused. */
  readonly id: number;
  /** The time in ISO 8601. */
  readonly time: string;
  /** The event, or `undo` for a state that an undo created. */
  readonly event: string;
  readonly session: string | null;
  readonly tree: string;
  /** The number of files that differ from the previous checkpoint. `null` for the first checkpoint. */
  readonly files: number | null;
  /** The number of new files that were left out because they were too large. */
  readonly tooLarge: number;
  /** The object name of the blob with the details that the tree cannot express. */
  readonly details?: string;
  /** The checkpoint that an undo restored. */
  readonly to?: number;
}

const FILE = "checkpoints.jsonl";
const MAX_BYTES = 8_388_608;

export const MAX_CHECKPOINTS = 200;
export const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1_000;

/** Reads the list. Skips incomplete and foreign lines, because a process may have died while it wrote the last line. */
export async function readCheckpoints(folder: string): Promise<readonly Checkpoint[]> {
  const text = (await readRegular(join(folder, FILE), MAX_BYTES))?.toString("utf8") ?? "";
  return text.split("\n").flatMap((line) => {
    const read = parseJsonObject(line);
    return read !== undefined && isCheckpoint(read) ? [read] : [];
  });
}

function isCheckpoint(value: JsonObject): value is JsonObject & Checkpoint {
  const { id, time, event, session, tree, files, tooLarge, details, to } = value;
  return (
    Number.isSafeInteger(id) &&
    typeof time === "string" &&
    typeof event === "string" &&
    (session === null || typeof session === "string") &&
    // Only object names are accepted, because git could read another text on its command line as an option.
    isObjectName(tree) &&
    (details === undefined || isObjectName(details)) &&
    (files === null || typeof files === "number") &&
    typeof tooLarge === "number" &&
    (to === undefined || Number.isSafeInteger(to))
  );
}

const isObjectName = (value: unknown): boolean => typeof value === "string" && /^[0-9a-f]{40,64}$/.test(value);

export async function appendCheckpoint(folder: string, checkpoint: Checkpoint): Promise<void> {
  const path = join(folder, FILE);
  await appendFile(path, `${(await endsTorn(path)) ? "\n" : ""}${JSON.stringify(checkpoint)}\n`, { mode: 0o600 });
}

/** Whether the last line has no newline. The next line would otherwise be appended to it. */
async function endsTorn(path: string): Promise<boolean> {
  try {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      if (size === 0) return false;
      const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
      return buffer[0] !== 0x0a;
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}

/** Returns the newest checkpoints that are not too old, and always the last, to which the next state is compared. */
export function keptCheckpoints(all: readonly Checkpoint[], now: number): readonly Checkpoint[] {
  const recent = all.slice(-MAX_CHECKPOINTS);
  return recent.filter(({ time }, index) => index === recent.length - 1 || now - Date.parse(time) <= MAX_AGE_MS);
}

/** Replaces the file in one step, so that a reader sees either the old list or the new list. */
export async function writeCheckpoints(folder: string, kept: readonly Checkpoint[]): Promise<void> {
  const draft = join(folder, `${FILE}.draft`);
  await writeFile(draft, kept.map((one) => `${JSON.stringify(one)}\n`).join(""), { mode: 0o600 });
  await rename(draft, join(folder, FILE));
}
