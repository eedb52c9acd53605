import { lstatSync } from "node:fs";
import { isOurs } from "../cache/cache-folder.ts";
import { stateError } from "./state-errors.ts";

/**
 * Whether the folder exists. Throws if other users have access to it, because they could control the state of guards.
 */
export function isPrivateFolder(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (stats.isSymbolicLink()) throw stateError(folder, "is a link", "remove it");
  if (!stats.isDirectory()) throw stateError(folder, "is not a folder", "remove it");
  if (isOurs(stats)) return true;
  const isForeign = process.getuid !== undefined && stats.uid !== process.getuid();
  if (isForeign) throw stateError(folder, "belongs to another user", "remove it");
  const mode = (stats.mode & 0o777).toString(8).padStart(4, "0");
  throw stateError(folder, `has mode ${mode}, so other users can enter it`, `chmod 700 ${folder}`);
}
