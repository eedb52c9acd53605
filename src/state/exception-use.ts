import { sha256 } from "../cache/cache-folder.ts";
import type { RuleException } from "../exception.ts";
import { changePrivateJson, readPrivateJson, type StateFolder } from "./private-json.ts";

/** Records on which day each exception was last used, by a digest of the exception. Other records are removed first. */

const FILE = "exceptions.json";
const MAX_RECORDS = 512;
const DAY_LENGTH = "2026-12-31".length;

/** What this process has recorded, so that a day's later uses cost no file access. */
const recorded = new Set<string>();

/** Records a use. Never throws: the record only tells the user which exceptions are not needed. */
export function recordUse(exception: RuleException, stateFolder: StateFolder): void {
  const key = keyOf(exception);
  const day = new Date().toISOString().slice(0, DAY_LENGTH);
  const use = `${key} ${day} ${stateFolder}`;
  if (recorded.has(use)) return;
  recorded.add(use);
  changePrivateJson(stateFolder, FILE, ({ [key]: _, ...others }) => {
    const kept = Object.entries(others).sort(([, one], [, other]) => (String(one) < String(other) ? 1 : -1));
    return Object.fromEntries([[key, day], ...kept.slice(0, MAX_RECORDS - 1)]);
  });
}

/** Whether a use is recorded. */
export function wasUsed(exception: RuleException, stateFolder: StateFolder): boolean {
  return Object.hasOwn(readPrivateJson(stateFolder, FILE), keyOf(exception));
}

function keyOf({ guard, rule, tool, command, input, directory, expires }: RuleException): string {
  const named = [guard ?? null, rule ?? null, tool ?? null, command ?? null, input ?? null];
  return sha256(JSON.stringify([...named, directory, expires]));
}
