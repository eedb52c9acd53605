import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolderSync } from "../files/make-folder.ts";
import { type JsonObject, parseJsonObject } from "../json.ts";
import { isPrivateFolder } from "./private-folder.ts";

/** Small files of the state folder that only inform the user. A file that cannot be used counts as empty. */

export type StateFolder = string | (() => string);

export function readPrivateJson(stateFolder: StateFolder, name: string): JsonObject {
  try {
    const folder = placeOf(stateFolder);
    return (isPrivateFolder(folder) ? parseJsonObject(readFileSync(join(folder, name), "utf8")) : undefined) ?? {};
  } catch {
    return {};
  }
}

/** Replaces a file atomically. Never throws. If two processes change a file at the same time, the later change wins. */
export function changePrivateJson(
  stateFolder: StateFolder,
  name: string,
  change: (before: JsonObject) => JsonObject,
): void {
  try {
    const folder = placeOf(stateFolder);
    makeFolderSync(folder, 0o700);
    if (!isPrivateFolder(folder)) return;
    const text = JSON.stringify(change(readPrivateJson(folder, name)));
    const draft = join(folder, `${name}.${process.pid}`);
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, join(folder, name));
  } catch {
    // The folder cannot be used.
  }
}

function placeOf(stateFolder: StateFolder): string {
  return typeof stateFolder === "string" ? stateFolder : stateFolder();
}
