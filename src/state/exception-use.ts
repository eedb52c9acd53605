import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../cache/cache-folder.ts";
import type { RuleException } from "../exception.ts";
import { makeFolderSync } from "../files/make-folder.ts";
import { parseJsonObject } from "../json.ts";
import { isPrivateFolder } from "./private-folder.ts";

/** Records on which day each exception was last used, by a digest of the exception. Other records are removed first. */

const FILE = "exceptions.json";
const MAX_RECORDS = 512;
const DAY_LENGTH = "2026-12-31".length;

/** What this process has recorded, so that a day's later uses cost no file access. */
const recorded = new Set<string>();

type Folder = string | (() => string);

/** Records a use. Never throws: the record only tells the user which exceptions are not needed. */
export function recordUse(exception: RuleException, stateFolder: Folder): void {
  try {
    const folder = placeOf(stateFolder);
    const key = keyOf(exception);
    const day = new Date().toISOString().slice(0, DAY_LENGTH);
    const use = `${folder} ${key} ${day}`;
    if (recorded.has(use)) return;
    recorded.add(use);
    makeFolderSync(folder, 0o700);
    if (!isPrivateFolder(folder)) return;
    const { [key]: _, ...others } = uses(folder);
    const kept = Object.entries(others).sort(([, one], [, other]) => (one < other ? 1 : -1));
    const text = JSON.stringify(Object.fromEntries([[key, day], ...kept.slice(0, MAX_RECORDS - 1)]));
    const draft = join(folder, `${FILE}.${process.pid}`);
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, join(folder, FILE));
  } catch {
    // The folder cannot be used.
  }
}

/** Returns the day of the last use. `undefined`: no use is recorded. */
export function lastUse(exception: RuleException, stateFolder: Folder): string | undefined {
  try {
    return uses(placeOf(stateFolder))[keyOf(exception)];
  } catch {
    return undefined;
  }
}

function placeOf(stateFolder: Folder): string {
  return typeof stateFolder === "string" ? stateFolder : stateFolder();
}

function uses(folder: string): Readonly<Record<string, string>> {
  try {
    const text = isPrivateFolder(folder) ? readFileSync(join(folder, FILE), "utf8") : "";
    const entries = Object.entries(parseJsonObject(text) ?? {});
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  } catch {
    return {};
  }
}

function keyOf({ guard, rule, tool, command, input, directory, expires }: RuleException): string {
  return sha256(
    JSON.stringify([guard ?? null, rule ?? null, tool ?? null, command ?? null, input ?? null, directory, expires]),
  );
}
