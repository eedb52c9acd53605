import { appendFile, open, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../../event.ts";
import { readRegular } from "./work-tree.ts";

/** The list of states that can be gone back to: one JSON object a line, the newest last. */

export interface Checkpoint {
  /** Counts up within a repository, and is never used again. */
  readonly id: number;
  /** ISO 8601. */
  readonly time: string;
  /** The event, or `undo` for the state that an undo has made. */
  readonly event: string;
  readonly session: string | null;
  readonly tree: string;
  /** How many files differ from the checkpoint before; `null` for the first. */
  readonly files: number | null;
  /** How many new files were too large to be kept. */
  readonly tooLarge: number;
  /** Name of the blob with what is not in the tree. */
  readonly details?: string;
  /** Of an undo: the checkpoint that was gone back to. */
  readonly to?: number;
}

const FILE = "checkpoints.jsonl";
const MAX_BYTES = 8_388_608;

export const MAX_CHECKPOINTS = 200;
export const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1_000;

/** Lines that are torn or foreign are passed over: a process may have died over the last one. */
export async function readCheckpoints(folder: string): Promise<readonly Checkpoint[]> {
  const text = (await readRegular(join(folder, FILE), MAX_BYTES))?.toString("utf8") ?? "";
  return text.split("\n").flatMap((line) => {
    const read = parseJsonObject(line);
    return read !== undefined && isCheckpoint(read) ? [read as unknown as Checkpoint] : [];
  });
}

function isCheckpoint(value: JsonObject): boolean {
  const { id, time, event, session, tree, files, tooLarge, details, to } = value;
  return (
    isJsonObject(value) &&
    Number.isSafeInteger(id) &&
    typeof time === "string" &&
    typeof event === "string" &&
    (session === null || typeof session === "string") &&
    // A name that git could read as something else must never reach a command line.
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

/** Whether the last line has no end, which would take the next one with it. */
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

/** The newest ones that are not too old; always the last one, which is what the next is compared with. */
export function keptCheckpoints(all: readonly Checkpoint[], now: number): readonly Checkpoint[] {
  const recent = all.slice(-MAX_CHECKPOINTS);
  return recent.filter(({ time }, index) => index === recent.length - 1 || now - Date.parse(time) <= MAX_AGE_MS);
}

/** In one step: a reader sees the old list or the new one. */
export async function writeCheckpoints(folder: string, kept: readonly Checkpoint[]): Promise<void> {
  const draft = join(folder, `${FILE}.draft`);
  await writeFile(draft, kept.map((one) => `${JSON.stringify(one)}\n`).join(""), { mode: 0o600 });
  await rename(draft, join(folder, FILE));
}
